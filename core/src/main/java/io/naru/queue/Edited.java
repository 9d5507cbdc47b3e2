package io.naru.queue;

/** What came of editing a queue. */
public sealed interface Edited {

  record Created(Overview overview) implements Edited {}

  record Updated(Overview overview) implements Edited {}

  /** Somebody else edited it first: it is at {@code version} now. */
  record Conflict(long version) implements Edited {}

  record NoQueue() implements Edited {}

  /** Queues without a ledger cannot keep to this setting, or only to its default. */
  record NeedsLedger(String setting) implements Edited {}
}
