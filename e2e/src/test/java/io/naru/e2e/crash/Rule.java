package io.naru.e2e.crash;

import java.util.function.Consumer;

/** One of the things that must always be true, by its number in the list. */
interface Rule {

  int number();

  /**
   * Says what speaks against it, if anything; in O(n log n).
   *
   * @param broken takes each breach, in words
   */
  void check(Evidence evidence, Told told, Consumer<String> broken);
}
