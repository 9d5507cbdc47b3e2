package io.naru.queue;

/** What came of editing a queue. */
public sealed interface Edited {

  record Created(Overview overview) implements Edited {}

  record Updated(Overview overview) implements Edited {}

  /** Somebody else edited it first: it is at {@code version} now. */
  record Conflict(long version) implements Edited {}

  record NoQueue() implements Edited {}

  /** It has ended: only activating makes a line of it again. */
  record HasEnded() implements Edited {}

  /** It has ended, and so many still stand in line who are about to hear of it. */
  record StillEnding(long waiting) implements Edited {}

  /** A lane was to be removed in which so many wait. */
  record LaneOccupied(String lane, long waiting) implements Edited {}

  /** It is on its way here from another ledger: nothing can be done with it but to delete it. */
  record BeingRestored() implements Edited {}

  /** Redis alone cannot keep to this setting, or only to its default; or cannot do this. */
  record NeedsLedger(String what) implements Edited {}
}
