package io.naru.queue;

/**
 * A wish to admit, carried out in steps of at most {@link #MAX_STEP} people so that no store is
 * blocked for long; the answer says whether asking again would admit more.
 */
public sealed interface Admission {

  int MAX_STEP = 1_000;

  /**
   * How many it would like to let in.
   *
   * @param allowed how many the rate allows
   */
  default long wanted(long allowed) {
    return switch (this) {
      case Paced() -> allowed;
      case ByHand(int count, _) -> count;
    };
  }

  /** The scheduler's beat: within capacity and allowance, whoever asks and however often. */
  record Paced() implements Admission {}

  /** An operator's act: beside the allowance, within capacity. */
  record ByHand(int count, Actor by) implements Admission {

    public ByHand {
      if (count < 1) {
        throw new IllegalArgumentException("an admission by hand is of 1 or more, not " + count);
      }
    }
  }
}
