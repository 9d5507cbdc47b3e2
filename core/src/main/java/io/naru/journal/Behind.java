package io.naru.journal;

/**
 * A log whose journal is ahead of it.
 *
 * @param head the last change in the journal
 * @param oldestAt when the first was decided that is not in the log
 * @param now on the clock of the store
 */
public record Behind(Log log, long head, long oldestAt, long now) {

  /** How many changes are not in the log, at most. */
  public long changes() {
    return Math.max(0, head - log.cursor());
  }

  /** For how long the first of them has been waiting. */
  public long micros() {
    return Math.max(0, now - oldestAt);
  }
}
