package io.naru.history;

import io.naru.queue.EndReason;
import io.naru.queue.Entry.Status;

/**
 * The course of one entry, without its name. Times are in microseconds, 0 for what has not been.
 *
 * @param until when the right to be inside ends or ended
 * @param isRedeemed whether a session was bound to it: then somebody came
 * @param reason why it ended; none if its visitor left, or its time was up
 */
public record Course(
    long joined,
    long entered,
    long until,
    long ended,
    Status status,
    boolean isRedeemed,
    EndReason reason) {

  boolean hasEntered() {
    return entered > 0;
  }

  /** Whether they left the line for good: not by an operator, and not for another device. */
  boolean isGivenUp() {
    return status == Status.LEFT && !hasEntered() && reason == EndReason.NONE;
  }

  /** Expired also if the time is up and nobody has noticed yet. */
  Status statusAt(long now) {
    return status == Status.ENTERED && until <= now ? Status.EXPIRED : status;
  }

  /** How long it has been in the line, up to now if it still is. */
  long waitedMicros(long now) {
    long out = hasEntered() ? entered : ended > 0 ? ended : now;
    return out - joined;
  }

  /** How long it was inside. */
  long insideMicros() {
    return (ended > 0 ? ended : until) - entered;
  }
}
