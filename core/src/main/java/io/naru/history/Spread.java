package io.naru.history;

import io.naru.queue.Micros;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * How long something took, for many: counted per whole second, so that a million of them are a few
 * thousand numbers. A percentile is then the second by which so many were through, and nothing
 * between two that were measured.
 */
public final class Spread {

  private final TreeMap<Long, Long> bySecond = new TreeMap<>();
  private long count;
  private long sumMicros;

  /** Less than nothing, as after a clock was set back, counts as nothing. */
  void add(long micros) {
    long took = Math.max(0, micros);
    bySecond.merge(took / Micros.PER_SECOND, 1L, Long::sum);
    count++;
    sumMicros += took;
  }

  public long count() {
    return count;
  }

  /** In seconds, to the millisecond; nothing if there were none. */
  public OptionalDouble average() {
    return count == 0
        ? OptionalDouble.empty()
        : OptionalDouble.of(Math.round(sumMicros / 1_000.0 / count) / 1_000.0);
  }

  /**
   * The whole second within which so many of a hundred were through; nothing if there were none.
   */
  public OptionalLong percentile(int percent) {
    long wanted = Math.max(1, Math.ceilDiv(count * percent, 100L));
    long through = 0;
    for (Map.Entry<Long, Long> second : bySecond.entrySet()) {
      through += second.getValue();
      if (through >= wanted) {
        return OptionalLong.of(second.getKey());
      }
    }
    return OptionalLong.empty();
  }

  public OptionalLong max() {
    return percentile(100);
  }
}
