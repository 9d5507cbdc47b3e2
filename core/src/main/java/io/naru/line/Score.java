package io.naru.line;

import io.naru.queue.Band;

/**
 * The number that orders the line: fewer come first, and no two are equal.
 *
 * <p>A score is a band and a time. The time is microseconds since 2026-01-01, made strictly
 * increasing where the truth lives, so arrivals in the same microsecond keep their order and an id
 * never decides. Bands of 25 years stand before and behind each other: band 0 is everyone, the
 * others are lanes, and before them all stand those who came back. Beyond these eleven each lane
 * has another one for those whose place is not decided yet. All of them fit into the integers that
 * a double holds exactly (±2^53).
 */
public final class Score {

  /** How far bands are apart: 25 years. */
  public static final long BAND_MICROS = Band.MICROS;

  /** Of those who were inside and came back after a failed payment: they go in first. */
  public static final int FALLBACK = Band.FIRST;

  public static final int FIRST_LANE = FALLBACK + 1;
  public static final int LAST_LANE = Band.LAST;

  /** How far the bands of those without a place are from their lanes'. */
  private static final int UNSETTLED_APART = 11;

  private Score() {}

  /**
   * The band in which those wait whose place in a lane is not decided yet: each lane has one,
   * beyond all others. How they stand in it means nothing.
   */
  public static int unsettled(int lane) {
    return lane < 0 ? lane + UNSETTLED_APART : lane - UNSETTLED_APART;
  }

  /** The lane of a band, of those who wait for their place in it, too. */
  public static int settled(int band) {
    return isUnsettled(band) ? band + (band < 0 ? UNSETTLED_APART : -UNSETTLED_APART) : band;
  }

  /** Whether a band is of those whose place is not decided yet. */
  public static boolean isUnsettled(int band) {
    return Band.isUnsettled(band);
  }

  /** When somebody joins who arrives now, given when the last one did: no two at the same time. */
  public static long next(long last, long nowMicros) {
    return Math.max(last + 1, nowMicros);
  }

  public static long inBand(int band, long micros) {
    if (band < unsettled(0) || band > unsettled(-1) || micros < 0 || micros >= BAND_MICROS) {
      throw new IllegalArgumentException("no score in band " + band + " at " + micros + " µs");
    }
    return band * BAND_MICROS + micros;
  }

  /** No score in the same band is smaller. */
  public static long laneFrom(long score) {
    return Math.floorDiv(score, BAND_MICROS) * BAND_MICROS;
  }

  /** The band of a score: the lane of its holder. */
  public static int lane(long score) {
    return Band.of(score);
  }
}
