package io.naru.load;

/** One of the crowd. Belongs to one thread. */
final class Visitor {

  final int number;
  final Habits.Mind mind;
  Step next = Step.ENTER;

  /** When they came, or came back to wait, and when they will leave or sleep; 0 for never. */
  long cameAt;

  long endsAt;

  /** The entry's, then, once inside, the pass. */
  String token = "";

  /** By which they find themselves on the board; 0 if they have none. */
  long ticket;

  String lane = "";

  /** Whether their payment has failed, which it does once. */
  boolean hasReturned;

  /** How often the same thing failed. */
  int failures;

  /** Counts what was planned: what was planned before the last plan does not happen. */
  int plans;

  /** Until when no stream is tried. */
  long pollsUntil;

  Visitor(int number, Habits.Mind mind) {
    this.number = number;
    this.mind = mind;
  }
}
