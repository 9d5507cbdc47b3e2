package io.naru.rate;

import io.naru.queue.Signal;

/**
 * What one source said last. A window with few requests says nothing by itself; it is put together
 * with those that follow, as long as they are not too far apart.
 *
 * @param at when the last window that counts ended, in microseconds; 0 if there was none
 * @param partAt when the part that does not count yet began; 0 if there is none
 * @param toldAt when it was heard of at all
 */
public record Heard(
    String source,
    long at,
    long count,
    long errors,
    double p95Millis,
    long partAt,
    long partCount,
    long partErrors,
    double partP95Millis,
    long toldAt) {

  /** Fewer are taken for good news too easily. */
  static final int ENOUGH = 20;

  static Heard nothing(String source) {
    return new Heard(source, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  }

  Heard and(Signal signal, long now) {
    boolean isContinued = partAt > 0 && now - partAt <= Signals.FRESH && now >= partAt;
    long sum = signal.count() + (isContinued ? partCount : 0);
    long failed = signal.errors() + (isContinued ? partErrors : 0);
    double worst = signal.p95Millis();
    if (isContinued) {
      worst = signal.count() == 0 ? partP95Millis : Math.max(worst, partP95Millis);
    }
    long end = signal.at() == 0 ? now : Math.min(now, signal.at());
    return sum >= ENOUGH
        ? new Heard(source, end, sum, failed, worst, 0, 0, 0, 0, now)
        : new Heard(
            source,
            at,
            count,
            errors,
            p95Millis,
            isContinued ? partAt : now,
            sum,
            failed,
            worst,
            now);
  }

  /** After the clock went back: nothing was heard later than now. */
  Heard notAfter(long now) {
    return new Heard(
        source,
        Math.min(at, now),
        count,
        errors,
        p95Millis,
        Math.min(partAt, now),
        partCount,
        partErrors,
        partP95Millis,
        Math.min(toldAt, now));
  }

  double errorPercent() {
    return percent(errors, count);
  }

  /** Also by what does not count yet. */
  double worstMillis() {
    return Math.max(p95Millis, partP95Millis);
  }

  /** Also by what does not count yet. */
  double worstPercent() {
    return Math.max(errorPercent(), percent(partErrors, partCount));
  }

  private static double percent(long some, long all) {
    return all == 0 ? 0 : 100.0 * some / all;
  }
}
