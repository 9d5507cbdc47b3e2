package io.naru.line;

import java.time.Duration;

/**
 * The number that orders the line: fewer come first, and no two are equal.
 *
 * <p>A score is a band and a time. The time is microseconds since 2026-01-01, made strictly
 * increasing where the truth lives, so arrivals in the same microsecond keep their order and an id
 * never decides. Bands of 25 years stand before and behind each other: band 0 is everyone, the
 * others are lanes, and before them all stand those who came back. These eleven use little more
 * than half of the integers that a double holds exactly (±2^53); what lies below the lowest band is
 * free for the order of a draw.
 */
public final class Score {

  /** 25 years of 365.25 days. */
  public static final long BAND_MICROS = Duration.ofHours(25 * 8_766L).toNanos() / 1_000;

  /** Of those who were inside and came back after a failed payment: they go in first. */
  public static final int FALLBACK = -6;

  public static final int FIRST_LANE = FALLBACK + 1;
  public static final int LAST_LANE = 4;

  /** The score of somebody whose place is not decided yet: behind everybody's. */
  public static final long UNSETTLED = Long.MAX_VALUE;

  private Score() {}

  /** When somebody joins who arrives now, given when the last one did: no two at the same time. */
  public static long next(long last, long nowMicros) {
    return Math.max(last + 1, nowMicros);
  }

  public static long inBand(int band, long micros) {
    if (band < FALLBACK || band > LAST_LANE || micros < 0 || micros >= BAND_MICROS) {
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
    return (int) Math.floorDiv(score, BAND_MICROS);
  }
}
