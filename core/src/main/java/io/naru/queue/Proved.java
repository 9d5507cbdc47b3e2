package io.naru.queue;

/** What came of a proof that was good. */
public enum Proved {
  /** Nothing is owed any more, by this or by an earlier one. */
  DONE,
  /** There is no such entry in line (any more). */
  UNKNOWN
}
