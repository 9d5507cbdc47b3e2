package io.naru.queue;

/** What came of taking a place over on another device. */
public sealed interface HandedOff {

  /** Who asked has that entry now; or had it already, from before or by the same link. */
  record Has(EntryKey entry) implements HandedOff {}

  /** The place is not there any more: taken over, given up, or its turn has come. */
  record NoPlace() implements HandedOff {}

  /** Who asked has a place of their own, and keeps it. */
  record HasOwn() implements HandedOff {}

  /** Who asked has been in and has completed, which one may do once here. */
  record OnceOnly() implements HandedOff {}

  /**
   * Who asked has taken as many places within a minute as one may; the place stays where it is.
   *
   * @param retryAfterSeconds when they may take another one
   */
  record TooOften(long retryAfterSeconds) implements HandedOff {}

  /** The place is being decided: in a moment. */
  record NotNow() implements HandedOff {}

  /** Redis alone cannot keep to it. */
  record NeedsLedger() implements HandedOff {}
}
