package io.naru.journal;

import io.naru.queue.Micros;
import io.naru.queue.QueueId;

/**
 * How far the log of a queue is. A queue that was deleted and made anew has another log.
 *
 * @param id names it within its store
 * @param original names it everywhere, in a way that says nothing
 * @param origin the name under which it is signed; empty as long as there is nothing in it
 * @param size how many records it has
 * @param cursor up to which change the journal is in it
 * @param holder who appends to it; nobody else does before {@code heldUntil}
 * @param heldUntil in microseconds, on the clock of the store
 * @param checkpoint what was signed last; empty if nothing was
 * @param signedAt when, on the clock of the store
 */
public record Log(
    long id,
    QueueId queue,
    String original,
    String origin,
    long size,
    long cursor,
    String holder,
    long heldUntil,
    String checkpoint,
    long signedAt) {

  /** Nobody holds a log for longer; a later end is of a clock that has been set since. */
  public static final long LONGEST_HOLD = 60 * Micros.PER_SECOND;

  /** Of a queue of which nothing was appended yet. */
  public static Log empty(long id, QueueId queue, String original) {
    return new Log(id, queue, original, "", 0, 0, "", 0, "", 0);
  }

  /** Whether somebody else appends to it. */
  public boolean isHeldBefore(String server, long now) {
    return !holder.equals(server) && heldUntil > now && heldUntil <= now + LONGEST_HOLD;
  }
}
