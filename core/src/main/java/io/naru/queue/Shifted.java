package io.naru.queue;

/** What came of moving somebody to another lane. */
public sealed interface Shifted {

  /**
   * They stand in that lane.
   *
   * @param ahead how many are before them there; not known of somebody who stood there already
   * @param isMoved false: they stood there already, and keep their place
   */
  record Done(long ahead, boolean isMoved) implements Shifted {}

  /** Nobody of that name waits. */
  record Nobody() implements Shifted {}

  /** The queue has no such lane. */
  record NoLane() implements Shifted {}

  record NoQueue() implements Shifted {}

  /** Redis alone cannot do this. */
  record NeedsLedger() implements Shifted {}
}
