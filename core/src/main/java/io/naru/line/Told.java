package io.naru.line;

/** How far one has been told of turns that are over. */
public sealed interface Told {

  /** There is no such queue, so it is nobody's turn: every pass of one that there was is void. */
  record NoQueue() implements Told {}

  /**
   * All of them up to a change.
   *
   * @param born when this queue was made. Everybody in it joined then or later, and everybody who
   *     was in an earlier one of the same name joined before
   */
  record UpTo(long born, long change) implements Told {}
}
