package io.naru.queue;

/** What somebody still owes who waits, before they may go in. */
public enum Owed {
  NOTHING,
  /** A proof of work. */
  WORK,
  /** The word of an outside verifier. */
  VERIFIER,
  /** Only time: their browser runs no scripts, and could prove nothing. */
  SLOW
}
