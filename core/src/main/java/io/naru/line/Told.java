package io.naru.line;

/** How far one has been told of turns that are over. */
public sealed interface Told {

  /** There is no such queue, so it is nobody's turn: every pass of one that there was is void. */
  record NoQueue() implements Told {}

  /**
   * All of them up to a change.
   *
   * @param born since when people join this queue: when it was made, or of one that came from
   *     another ledger before the first of its people joined. Everybody in it joined then or later,
   *     and everybody who was in an earlier one of the same name joined before; no other one of
   *     that name has the same
   */
  record UpTo(long born, long change) implements Told {}

  /**
   * The latest of them: all up to a change that are of a later one than another.
   *
   * @param born as above
   * @param after those of this change and of earlier ones were not told, or not all of them
   */
  record Latest(long born, long after, long change) implements Told {}
}
