package io.naru.support;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.fail;

import io.naru.admission.Pacing;
import io.naru.admission.Pacing.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.ToLongFunction;

/**
 * Who was admitted when, and which rates a queue had meanwhile, held against the promise: over any
 * time at most what can be kept and {@code ∫ rate}, in steps one batch more. In steps alone also at
 * most {@code batch × (1 + ⌈time / interval⌉)}: where the rate changed on the way, a second counts
 * by the interval that it had, and the batch is the largest of that time.
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
    Map<Long, Double> earned = earned();
    Map<Long, Long> parts = parts();
    boolean isInSteps = rates.stream().allMatch(rate -> rate.pacing.kind() == Kind.STEPS);
    for (int first = 0; first < admissions.size(); first++) {
      long from = admissions.get(first).at;
      long count = 0;
      for (Admitted last : admissions.subList(first, admissions.size())) {
        count += last.count;
        double most = (double) most(from, last.at, PaceRecord::kept);
        most += requireNonNull(earned.get(last.at)) - requireNonNull(earned.get(from));
        if (isInSteps) {
          long over = requireNonNull(parts.get(last.at)) - requireNonNull(parts.get(from));
          long batches = most(from, last.at, Pacing::batch) * (1 + Math.ceilDiv(over, INTERVAL));
          most = Math.min(most, (double) batches);
        }
        if (count > most + 1e-6) {
          fail("%d from %d until %d, of %s with %s", count, from, last.at, admissions, rates);
        }
      }
    }
  }

  /** What may be there at the beginning of any time: in steps also what is earned but not given. */
  private static long kept(Pacing pacing) {
    return pacing.kind() == Kind.STEPS ? 2L * pacing.batch() : pacing.atOnce();
  }

  private long most(long from, long until, ToLongFunction<Pacing> of) {
    return rates.stream()
        .filter(rate -> rate.from <= until && rate.until >= from)
        .mapToLong(rate -> of.applyAsLong(rate.pacing))
        .max()
        .orElseThrow();
  }

  /**
   * What the rates add up to until each admission, each piece by the fastest that it may have had.
   */
  private Map<Long, Double> earned() {
    var earned = new HashMap<Long, Double>();
    double sum = 0;
    long start = Long.MIN_VALUE;
    for (long end : seams()) {
      if (start != Long.MIN_VALUE && end != Long.MAX_VALUE) {
        sum += (end - start) / 1e6 * fastest(start, end);
      }
      earned.put(end, sum);
      start = end;
    }
    return earned;
  }

  private double fastest(long begin, long end) {
    return rates.stream()
        .filter(rate -> rate.from <= begin && rate.until >= end)
        .mapToDouble(rate -> rate.pacing.perSecond())
        .max()
        .orElseThrow();
  }

  private SortedSet<Long> seams() {
    var seams = new TreeSet<Long>();
    admissions.forEach(admitted -> seams.add(admitted.at));
    for (Rate rate : rates) {
      seams.add(rate.from);
      seams.add(rate.until);
    }
    return seams;
  }

  /**
   * How much of an interval went by until each admission, each piece of the time by the shortest
   * that it may have had.
   */
  private Map<Long, Long> parts() {
    var parts = new HashMap<Long, Long>();
    long sum = 0;
    long start = Long.MIN_VALUE;
    for (long end : seams()) {
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
