package io.naru.example.concert;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * @param id random, so that knowing one tells nothing about another, and whoever knows it is its
 *     owner
 * @param visitor whose turn it was, as Naru knows them
 */
record Reservation(String id, String seat, @JsonProperty("user") String visitor) {

  /**
   * Not behind the gate: with the reservation the turn is over, and the pass is good for nothing
   * more.
   */
  String path() {
    return "/tickets/" + id;
  }
}
