package io.naru.queue;

/** What came of making codes for a lane. */
public enum Coded {
  DONE,
  /** The queue has no such lane. */
  NO_LANE,
  NO_QUEUE,
  /** Redis alone cannot do this. */
  NEEDS_LEDGER
}
