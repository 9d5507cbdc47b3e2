package io.naru.queue;

/** What came of somebody coming back whose payment failed. */
public sealed interface Returned {

  /**
   * They have that entry: the one inside, as long as it is kept for another try, or a new one that
   * goes in before all who have not been in; also if they came back before and this was told again.
   */
  record Has(EntryKey entry) implements Returned {}

  /** The pass is of nobody who is inside. */
  record NotInside() implements Returned {}

  /** Only the site may say so here. */
  record SiteOnly() implements Returned {}

  /**
   * They came back as often as they may; their turn goes on.
   *
   * @param most how often that is
   */
  record TooOften(int most) implements Returned {}

  /** The queue has ended: there is nothing to come back to. Their turn goes on. */
  record HasEnded() implements Returned {}

  /** Redis alone cannot keep to it. */
  record NeedsLedger() implements Returned {}
}
