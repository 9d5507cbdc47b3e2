package io.naru.admission;

import org.jspecify.annotations.Nullable;

/**
 * How long somebody waits, from what really happened lately and what is set.
 *
 * <p>Two things bind a line: the rate <i>r</i> that is set, and the capacity <i>C</i>: with people
 * who stay for <i>T</i> on average, no more than <i>κ = C / T</i> go in per second once it is full.
 * Until then they go in at the rate, and those inside grow as {@code n' = r − n / T}. Those who
 * wait leave at <i>λ</i> each, so with <i>p</i> before somebody and <i>μ</i> going in, {@code dp/dt
 * = −(μ + λp)}, which comes to nothing after {@code ln(1 + λp / μ) / λ}.
 *
 * @param lowSeconds it will hardly be less
 * @param highSeconds it will hardly be more
 */
public record Estimate(long lowSeconds, long highSeconds) {

  /** Nobody plans further ahead. */
  private static final double MOST_SECONDS = 7 * 86_400;

  /** However much was seen, it does not go on exactly so. */
  private static final double LEAST_DOUBT = 0.1;

  private static final double MOST_DOUBT = 0.6;

  /** What the estimate depends on that an operator has set. */
  public record Bounds(Pacing pacing, int capacity, int turnSeconds) {

    double rate() {
      return pacing.perSecond();
    }
  }

  /**
   * @param ahead how many are before somebody
   * @return null if not even the figures of now are known
   */
  public static @Nullable Estimate of(long ahead, Bounds bounds, Observed seen) {
    if (!seen.isKnown()) {
      return null;
    }
    double rate = seen.rate(bounds);
    double stay = seen.staySeconds(bounds);
    double wait = wait((double) ahead + 1, rate, stay, bounds.capacity(), seen);
    // Where nobody has gone in for a while, it is more likely that this goes on than that it ends.
    wait = Math.min(MOST_SECONDS, Math.max(wait, seen.standstillSeconds(bounds)));
    boolean isFull = bounds.capacity() / stay < rate;
    double doubt = isFull ? seen.doubt(LEAST_DOUBT, MOST_DOUBT) : LEAST_DOUBT;
    // People go in by batches, and nobody but the ledger knows how far the next one is.
    double grain = bounds.pacing().beatSeconds() / 2;
    double low = Math.max(0, wait * (1 - doubt) - grain);
    return new Estimate((long) low, (long) Math.ceil(wait * (1 + doubt) + grain));
  }

  private static double wait(double place, double rate, double stay, int capacity, Observed seen) {
    double leaving = seen.leavingPerSecond();
    if (capacity / stay >= rate) {
      return untilNobody(place, rate, leaving);
    }
    double filling = untilFull(rate, stay, capacity, seen.inside());
    double inTime = untilNobody(place, rate, leaving);
    return inTime <= filling
        ? inTime
        : filling + untilNobody(after(place, rate, leaving, filling), capacity / stay, leaving);
  }

  /** When the last free place inside is taken, at a rate that those inside cannot keep up with. */
  private static double untilFull(double rate, double stay, int capacity, long inside) {
    double most = rate * stay;
    return inside >= capacity ? 0 : stay * Math.log((most - inside) / (most - capacity));
  }

  private static double untilNobody(double place, double rate, double leaving) {
    double share = leaving * place / rate;
    return share < 1e-6 ? place / rate : Math.log1p(share) / leaving;
  }

  /** How many are left of so many after some time. */
  private static double after(double place, double rate, double leaving, double seconds) {
    double left =
        leaving * seconds < 1e-6
            ? place - rate * seconds
            : (place + rate / leaving) * Math.exp(-leaving * seconds) - rate / leaving;
    return Math.max(0, left);
  }
}
