package io.naru.queue;

/** What came of erasing a name. */
public enum Erased {
  DONE,
  NO_QUEUE,
  /** Redis alone cannot do this. */
  NEEDS_LEDGER
}
