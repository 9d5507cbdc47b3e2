package io.naru.example.concert;

import io.naru.gate.Answer;
import io.naru.gate.Gate;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Where a payment service would be asked. Whoever cannot pay comes back: Naru keeps their place
 * inside for another try, and after that lets them in before those who have not been in.
 */
@Component
class Payments {

  /** A card that no bank accepts. */
  static final String DECLINED = "declined";

  private final Gate gate;

  Payments(Gate gate) {
    this.gate = gate;
  }

  boolean isDeclined(@Nullable String card) {
    return DECLINED.equals(card);
  }

  /**
   * Not in the way of anybody's reservation: if Naru cannot be told, the turn goes on as it was.
   *
   * @param token the pass as it came
   * @param givesUp whether there is no other try
   */
  Answer failed(String token, boolean givesUp) {
    return gate.giveBack(token, givesUp);
  }

  /** Where somebody goes who has given up, and waits in front of the line. */
  String waitingPage() {
    return gate.settings().waitingPage() + "?return=%2Freservations%2Fnew";
  }
}
