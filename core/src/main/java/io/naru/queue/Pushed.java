package io.naru.queue;

/** What came of what the site said about its stock. */
public sealed interface Pushed {

  /** That is known now. */
  record Taken(Stocked now) implements Pushed {}

  /** Something is known that is as late or later; nothing is different. */
  record Older(Stocked now) implements Pushed {}

  /** The queue does not go by stock. */
  record Off() implements Pushed {}

  record NoQueue() implements Pushed {}

  /** Redis alone cannot keep to it. */
  record NeedsLedger() implements Pushed {}
}
