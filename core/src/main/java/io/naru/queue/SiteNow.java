package io.naru.queue;

/**
 * How the site behind a queue does, as it was last said: the worst of those who said something.
 *
 * @param p95Millis 95 of 100 answers take less; NaN if nobody has said anything lately
 * @param errorPercent NaN too then
 */
public record SiteNow(double p95Millis, double errorPercent) {

  /** Nobody has said anything lately, or nobody is asked. */
  public static final SiteNow UNKNOWN = new SiteNow(Double.NaN, Double.NaN);

  public boolean isKnown() {
    return !Double.isNaN(p95Millis);
  }
}
