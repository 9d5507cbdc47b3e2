package io.naru.queue;

/**
 * The band of a score: its lane, or that of those who have no place in a lane yet. {@code Score}
 * says how they stand to each other.
 */
public final class Band {

  /** How far they are apart: 25 years of 365.25 days. */
  public static final long MICROS = 25 * 8_766L * 3_600 * Micros.PER_SECOND;

  /** The first one with places in it. */
  public static final int FIRST = -6;

  /** The last one with places in it. */
  public static final int LAST = 4;

  private Band() {}

  public static int of(long score) {
    return (int) Math.floorDiv(score, MICROS);
  }

  /** Whether it is of those whose place is not decided yet. */
  public static boolean isUnsettled(int band) {
    return band < FIRST || band > LAST;
  }
}
