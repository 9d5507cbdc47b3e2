package io.naru.support;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.admission.Pacing;
import java.util.ArrayList;
import java.util.List;
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
    for (int first = 0; first < admissions.size(); first++) {
      long from = admissions.get(first).at;
      long count = 0;
      for (Admitted last : admissions.subList(first, admissions.size())) {
        count += last.count;
        assertThat(count)
            .as("admitted from %d until %d, of %s with %s", from, last.at, admissions, rates)
            .isLessThanOrEqualTo(most(from, last.at));
      }
    }
  }

  private long most(long from, long until) {
    int batch =
        rates.stream()
            .filter(rate -> rate.from <= until && rate.until >= from)
            .mapToInt(rate -> rate.pacing.batch())
            .max()
            .orElseThrow();
    return batch * (1 + Math.ceilDiv(parts(from, until), INTERVAL));
  }

  /** How much of an interval went by, each piece of the time by the shortest it may have had. */
  private long parts(long from, long until) {
    var seams = new TreeSet<>(List.of(from, until));
    for (Rate rate : rates) {
      seams.add(Math.clamp(rate.from, from, until));
      seams.add(Math.clamp(rate.until, from, until));
    }
    long sum = 0;
    long start = from;
    for (long end : seams) {
      long begin = start;
      long shortest =
          rates.stream()
              .filter(rate -> rate.from <= begin && rate.until >= end)
              .mapToLong(rate -> rate.pacing.intervalMicros())
              .min()
              .orElseThrow();
      sum += (end - begin) * (INTERVAL / shortest);
      start = end;
    }
    return sum;
  }
}
