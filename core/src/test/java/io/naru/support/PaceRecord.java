package io.naru.support;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.admission.Pacing;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Who was admitted when, and which rates a queue had meanwhile, held against the promise: over any
 * time at most {@code batch × (1 + ⌈time / interval⌉)}. Where the rate changed on the way, a second
 * counts by the interval that it had, and the batch is the largest of that time.
 */
public final class PaceRecord {

  /** All intervals in tests divide it, so that parts of an interval are whole numbers. */
  private static final long INTERVAL = 3_600_000_000L;

  /** A rate that was surely not in force before {@code from} nor after {@code until}. */
  private record Rate(long from, long until, Pacing pacing) {}

  private record Admitted(long at, int count) {}

  private final List<Rate> rates = new ArrayList<>();
  private final List<Admitted> admissions = new ArrayList<>();

  public PaceRecord(Pacing first) {
    rates.add(new Rate(Long.MIN_VALUE, Long.MAX_VALUE, first));
  }

  /** The rate was changed some time between these two moments. */
  public void changed(long after, long before, Pacing to) {
    Rate last = rates.removeLast();
    rates.add(new Rate(last.from, before, last.pacing));
    rates.add(new Rate(after, Long.MAX_VALUE, to));
  }

  public void admitted(long at, int count) {
    admissions.add(new Admitted(at, count));
  }

  /** Looks at the time from every admission to every later one. */
  public void assertKept() {
    Map<Long, Long> parts = parts();
    for (int first = 0; first < admissions.size(); first++) {
      long from = admissions.get(first).at;
      long count = 0;
      for (Admitted last : admissions.subList(first, admissions.size())) {
        count += last.count;
        long over = requireNonNull(parts.get(last.at)) - requireNonNull(parts.get(from));
        assertThat(count)
            .as("admitted from %d until %d, of %s with %s", from, last.at, admissions, rates)
            .isLessThanOrEqualTo(batch(from, last.at) * (1 + Math.ceilDiv(over, INTERVAL)));
      }
    }
  }

  private long batch(long from, long until) {
    long batch = 0;
    for (Rate rate : rates) {
      if (rate.from <= until && rate.until >= from) {
        batch = Math.max(batch, rate.pacing.batch());
      }
    }
    return batch;
  }

  /**
   * How much of an interval went by until each admission, each piece of the time by the shortest
   * that it may have had.
   */
  private Map<Long, Long> parts() {
    var seams = new TreeSet<Long>();
    admissions.forEach(admitted -> seams.add(admitted.at));
    for (Rate rate : rates) {
      seams.add(rate.from);
      seams.add(rate.until);
    }
    var parts = new HashMap<Long, Long>();
    long sum = 0;
    long start = Long.MIN_VALUE;
    for (long end : seams) {
      if (start != Long.MIN_VALUE && end != Long.MAX_VALUE) {
        sum += (end - start) * (INTERVAL / shortest(start, end));
      }
      parts.put(end, sum);
      start = end;
    }
    return parts;
  }

  private long shortest(long begin, long end) {
    return rates.stream()
        .filter(rate -> rate.from <= begin && rate.until >= end)
        .mapToLong(rate -> rate.pacing.intervalMicros())
        .min()
        .orElseThrow();
  }
}
