package io.naru.decision;

import java.util.List;

/**
 * What a store keeps of one queue, while nobody else can change it. All that a decision needs of a
 * store: every rule is in front of this port, and behind it there are none.
 *
 * @param <E> what a store may fail with
 */
public interface Book<E extends Exception> {

  /** The queue as it stands. The decision changes it, and {@link #write} is told. */
  QueueState queue();

  /**
   * The entries that a decision needs, as they stand; each once or several times, in any order. The
   * decision changes them.
   */
  List<EntryState> fetch(Needs needs) throws E;

  /** Keeps what was decided. */
  void write(Outcome outcome) throws E;
}
