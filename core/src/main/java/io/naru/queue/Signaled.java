package io.naru.queue;

/** What came of a signal. */
public enum Signaled {
  /** The queue's rate follows it. */
  HEARD,
  /** The queue's rate follows nothing. */
  NOT_ADAPTIVE,
  NO_QUEUE,
  NEEDS_LEDGER
}
