package io.naru.queue;

import java.util.List;

/**
 * What a queue counts.
 *
 * @param change the number of the state these figures belong to
 * @param lanes how many wait in which lane; none if all stand in one line
 * @param longestWaitMicros how long the first in line has been waiting, 0 if nobody is
 * @param absent how many of those waiting were passed over, and have not been seen since or still
 *     owe something
 * @param joined since the queue was made, as the other totals
 * @param proofs what is owed and was proved
 */
public record Figures(
    long change,
    long waiting,
    List<LaneCount> lanes,
    long inside,
    long absent,
    long longestWaitMicros,
    long joined,
    long entered,
    long completed,
    long left,
    long expired,
    Proofs proofs) {

  public static final Figures NONE =
      new Figures(0, 0, List.of(), 0, 0, 0, 0, 0, 0, 0, 0, Proofs.NONE);

  /**
   * What is owed at {@link Doors}.
   *
   * @param owing how many wait who still owe something
   * @param proved how many have proved it, since people are asked
   * @param unproven how many places ended because nobody did
   */
  public record Proofs(long owing, long proved, long unproven) {

    public static final Proofs NONE = new Proofs(0, 0, 0);

    Proofs plus(Proofs other) {
      return new Proofs(owing + other.owing, proved + other.proved, unproven + other.unproven);
    }
  }

  /** How many wait and could go in, as far as it is known who is there. */
  public long present() {
    return waiting - absent;
  }

  /** Of both queues together: the longest wait is the longer one. */
  public Figures plus(Figures other) {
    return new Figures(
        change + other.change,
        waiting + other.waiting,
        List.of(),
        inside + other.inside,
        absent + other.absent,
        Math.max(longestWaitMicros, other.longestWaitMicros),
        joined + other.joined,
        entered + other.entered,
        completed + other.completed,
        left + other.left,
        expired + other.expired,
        proofs.plus(other.proofs));
  }
}
