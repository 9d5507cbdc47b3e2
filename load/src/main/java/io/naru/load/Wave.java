package io.naru.load;

import java.time.Duration;

/**
 * When people arrive: an open loop. Nobody waits for anybody, so a server that stalls finds all of
 * them at its door.
 *
 * @param visitors how many
 * @param over from the first to the last; zero for all at once
 */
public record Wave(int visitors, Duration over, Shape shape) {

  public static final int MOST_VISITORS = 1_000_000;
  public static final int LONGEST_SECONDS = 21_600;

  /** How arrivals are spread. */
  public enum Shape {
    /** Most come in the beginning: half of them in the first eighth of the time. */
    BURST,
    /** Few at first, and more with every second. */
    RAMP,
    /** As many in each second. */
    STEADY
  }

  public Wave {
    Range.check("--visitors", visitors, 1, MOST_VISITORS);
    Range.check("--over", over.toSeconds(), 0, LONGEST_SECONDS);
  }

  /**
   * When the n-th comes, from 0, in nanoseconds from the start; never earlier than the one before.
   */
  long arrival(int n) {
    double share = (double) n / visitors;
    double time =
        switch (shape) {
          case BURST -> share * share * share;
          case RAMP -> Math.sqrt(share);
          case STEADY -> share;
        };
    return (long) (time * over.toNanos());
  }
}
