package io.naru.example.concert;

/** What became of somebody's wish for a seat. */
sealed interface Outcome {

  record Reserved(Reservation reservation) implements Outcome {}

  /** Somebody was faster. */
  record SeatTaken(Seat seat) implements Outcome {}

  /**
   * One pass is for one reservation.
   *
   * @param earlier what it was used for
   */
  record PassUsed(Reservation earlier) implements Outcome {}
}
