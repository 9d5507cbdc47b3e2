package io.naru.example.concert;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * @param id random, so that knowing one tells nothing about another
 * @param visitor whose turn it was, as Naru knows them
 */
record Reservation(String id, String seat, @JsonProperty("user") String visitor) {

  String path() {
    return "/reservations/" + id;
  }
}
