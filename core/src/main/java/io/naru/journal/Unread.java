package io.naru.journal;

import io.naru.queue.QueueId;

/**
 * A queue of which a reader has not read everything. A queue that was deleted and made anew is
 * another one.
 *
 * @param id names it within its store
 * @param original names it everywhere
 * @param cursor up to which change the reader has everything
 * @param head the last change of which there is something
 * @param oldestAt when the first was decided that the reader has not read and that is still there
 * @param now on the clock of the store
 */
public record Unread(
    long id, QueueId queue, String original, long cursor, long head, long oldestAt, long now) {

  /** How many changes are not read, at most. */
  public long changes() {
    return Math.max(0, head - cursor);
  }

  /** For how long the first of them has been waiting. */
  public long micros() {
    return Math.max(0, now - oldestAt);
  }
}
