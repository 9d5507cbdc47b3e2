package io.naru.decision;

import io.naru.queue.Owed;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

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

  /**
   * Entries that were passed over, of a queue that has some: each once or several times, in any
   * order, as {@link EntryState#passed}.
   */
  List<EntryState> passed(Needs.Passed needs) throws E;

  /**
   * When the visitors of these entries were last seen, by when they joined; of some of them that is
   * not known. Asked only of a queue that goes by who is there.
   */
  Map<Long, Long> seen(Collection<Long> joined) throws E;

  /**
   * What the visitors of these entries owe, by when they joined; nothing of those who are missing.
   * Asked only of a queue in which somebody owes something.
   */
  Map<Long, Debt> owed(Collection<Long> joined) throws E;

  /**
   * What somebody owes.
   *
   * @param until when it is over that they are passed over for it; 0 if they were not
   */
  record Debt(Owed owed, long until) {}

  /**
   * Those of these codes that can still be used, with the lane that each is for.
   *
   * @param hashes never empty
   */
  Map<String, String> codes(Set<String> hashes) throws E;

  /** Keeps what was decided. */
  void write(Outcome outcome) throws E;
}
