package io.naru.transfer;

/** What came of a step. */
public sealed interface Restored {

  /**
   * It is done, perhaps since earlier.
   *
   * @param entries how many are there: the next part begins behind them
   */
  record Taken(long entries) implements Restored {}

  /** Something before it is missing: so many are there. Nothing was changed. */
  record NotNext(long entries) implements Restored {}

  /** There is such a queue, and it is not this one on its way. Nothing was changed. */
  record Exists() implements Restored {}

  /** Nobody has begun, or somebody has deleted what there was. */
  record NoQueue() implements Restored {}
}
