package io.naru.queue;

/** What came of moving somebody to another lane. */
public sealed interface Shifted {

  /** In place of how many are before somebody. */
  long NO_PLACE = -1;

  /**
   * They stand in that lane.
   *
   * @param ahead how many are before them there; not known of somebody who stood there already, and
   *     {@link #NO_PLACE} of somebody who has no place yet
   * @param isMoved false: they stood there already, and keep their place
   */
  record Done(long ahead, boolean isMoved) implements Shifted {}

  /** Nobody of that name waits. */
  record Nobody() implements Shifted {}

  /** They are being drawn: in a moment. */
  record NotNow() implements Shifted {}

  /** The queue has no such lane. */
  record NoLane() implements Shifted {}

  record NoQueue() implements Shifted {}

  /** Redis alone cannot do this. */
  record NeedsLedger() implements Shifted {}
}
