package io.naru.load;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * What became of a crowd, second by second. A thread that plays visitors has one of its own; copies
 * of them are added up for whoever looks.
 */
public final class Course {

  private static final long MAX_MICROS = 60_000_000;
  private static final long MAX_MILLIS = 24L * 3_600_000;

  /** So many kinds of errors are told apart; what is beyond is other. */
  private static final int MOST_KINDS = 40;

  private final Map<Count, long[]> counts = new EnumMap<>(Count.class);
  private final Map<Step, Histogram> latencies = new EnumMap<>(Step.class);
  private final Map<String, Long> errors = new TreeMap<>();
  private final Histogram waits = new Histogram(MAX_MILLIS, 3);
  private int seconds;

  Course() {
    for (Count count : Count.values()) {
      counts.put(count, new long[64]);
    }
  }

  void count(Count what, int second) {
    seconds = Math.max(seconds, second + 1);
    long[] per = perSecond(what);
    if (second >= per.length) {
      per = Arrays.copyOf(per, Math.max(second + 1, 2 * per.length));
      counts.put(what, per);
    }
    per[second]++;
  }

  private long[] perSecond(Count what) {
    return counts.computeIfAbsent(what, _ -> new long[64]);
  }

  void answered(Step step, long nanos, int second) {
    latencies
        .computeIfAbsent(step, _ -> new Histogram(MAX_MICROS, 3))
        .recordValue(Math.clamp(nanos / 1_000, 0, MAX_MICROS));
    count(step == Step.STREAM ? Count.MESSAGES : Count.ANSWERS, second);
  }

  void waited(long nanos) {
    waits.recordValue(Math.clamp(nanos / 1_000_000, 0, MAX_MILLIS));
  }

  void failed(String kind, int second) {
    String known = errors.containsKey(kind) || errors.size() < MOST_KINDS ? kind : "other";
    errors.merge(known, 1L, Long::sum);
    count(Count.ERRORS, second);
  }

  Course copy() {
    return new Course().add(this);
  }

  Course add(Course other) {
    seconds = Math.max(seconds, other.seconds);
    other.counts.forEach(
        (what, per) -> {
          long[] ours =
              Arrays.copyOf(perSecond(what), Math.max(perSecond(what).length, per.length));
          Arrays.setAll(ours, i -> ours[i] + (i < per.length ? per[i] : 0));
          counts.put(what, ours);
        });
    other.latencies.forEach(
        (step, histogram) ->
            latencies.computeIfAbsent(step, _ -> new Histogram(MAX_MICROS, 3)).add(histogram));
    other.errors.forEach((kind, n) -> errors.merge(kind, n, Long::sum));
    waits.add(other.waits);
    return this;
  }

  /** How long it has gone on. */
  public int seconds() {
    return seconds;
  }

  public long total(Count what) {
    return Arrays.stream(perSecond(what)).sum();
  }

  public long in(Count what, int second) {
    long[] per = perSecond(what);
    return second >= 0 && second < per.length ? per[second] : 0;
  }

  /** How many wait and follow their place at the end of each second. */
  public long[] waiting() {
    var line = new long[seconds];
    long waiting = 0;
    for (int i = 0; i < seconds; i++) {
      waiting += in(Count.JOINED, i) - in(Count.TOLD, i) - in(Count.LEFT, i);
      waiting -= in(Count.ASLEEP, i) + in(Count.ENDED, i);
      line[i] = waiting;
    }
    return line;
  }

  public long[] series(Count what) {
    return Arrays.copyOf(perSecond(what), seconds);
  }

  /** In microseconds, from when a request was due; null if none was answered. */
  public @Nullable Histogram latency(Step step) {
    return latencies.get(step);
  }

  /** In milliseconds, from when somebody came until they were told that it is their turn. */
  public Histogram waits() {
    return waits;
  }

  /** How often what went wrong, by kind. */
  public Map<String, Long> errors() {
    return Map.copyOf(errors);
  }
}
