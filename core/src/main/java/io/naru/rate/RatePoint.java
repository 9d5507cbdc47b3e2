package io.naru.rate;

/**
 * A rate at one moment, with what made it so: kept at most once a second.
 *
 * @param at in microseconds
 * @param insideLimit how many may be inside; 0 if that is not limited
 * @param p95Millis of the worst source that had news
 */
public record RatePoint(
    long at,
    double perSecond,
    double insideLimit,
    long inside,
    double p95Millis,
    double errorPercent,
    Reason reason) {

  /** For how long they are kept. */
  public static final long KEPT = 7 * 86_400 * 1_000_000L;
}
