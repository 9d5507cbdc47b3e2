package io.naru.queue;

import java.time.Duration;

/** The bands of scores, as far as a place or a count must know of them; the rest has the line. */
public final class Band {

  /** 25 years of 365.25 days. */
  public static final long MICROS = Duration.ofHours(25 * 8_766L).toNanos() / 1_000;

  /** The first of those from which people go in; the lanes are behind it. */
  public static final int FIRST = -6;

  public static final int LAST = 4;

  private Band() {}

  /** The band of a score. */
  public static int of(long score) {
    return (int) Math.floorDiv(score, MICROS);
  }

  /** Whether a band is of those whose place is not decided yet. */
  public static boolean isUnsettled(int band) {
    return band < FIRST || band > LAST;
  }
}
