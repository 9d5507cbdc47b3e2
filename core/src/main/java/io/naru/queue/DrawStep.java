package io.naru.queue;

/** What came of bringing a draw on. */
public sealed interface DrawStep {

  /**
   * It is done; also if it was before, by the same step.
   *
   * @param draw as it stands then
   */
  record Taken(DrawView draw) implements DrawStep {}

  /**
   * Nothing was done: somebody else did it, or its time has not come, or is over.
   *
   * @param draw as it stands
   */
  record NotTaken(DrawView draw) implements DrawStep {}

  /** There is no such queue, or nothing is drawn in it. */
  record NoDraw() implements DrawStep {}
}
