package io.naru.queue;

import java.util.List;

/** What came of one admission step. */
public sealed interface Admitted {

  /**
   * The step was done.
   *
   * @param entries those admitted, in line order
   * @param expired how many were found to have overstayed inside
   * @param more whether asking again, now, for what is left of the wish would move more people
   * @param nextRefillMicros how long until another step makes sense: until the allowance is
   *     refilled, admission begins, or the queue ends
   * @param figures of the queue after the step
   */
  record Done(
      List<Entry> entries, int expired, boolean more, long nextRefillMicros, Figures figures)
      implements Admitted {}

  /**
   * Nobody is admitted while the queue is paused or has ended; those inside still expire.
   *
   * @param expired how many, with those who still waited when it ended
   * @param more whether asking again, now, would end the wait of more people
   */
  record NotActive(int expired, boolean more, Figures figures) implements Admitted {}

  record NoQueue() implements Admitted {}
}
