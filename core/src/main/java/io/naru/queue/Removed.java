package io.naru.queue;

/** What came of taking somebody out of a queue. */
public sealed interface Removed {

  /**
   * Nobody of that name waits or is inside any more.
   *
   * @param entry that was ended, as it was before
   */
  record Done(Entry entry) implements Removed {}

  /** Nobody of that name was there. */
  record Nobody() implements Removed {}

  record NoQueue() implements Removed {}

  /** Redis alone cannot do this. */
  record NeedsLedger() implements Removed {}
}
