package io.naru.history;

/** A time that is asked about, which may be meant from now or from the queue's beginning. */
@FunctionalInterface
public interface Period {

  /**
   * From when to when, in microseconds.
   *
   * @param createdAt when the queue was made
   * @param now on the clock of the store
   */
  Range in(long createdAt, long now);

  /**
   * @param to the first moment behind it
   */
  record Range(long from, long to) {}
}
