package io.naru.history;

import io.naru.queue.Micros;
import java.util.ArrayList;
import java.util.List;

/**
 * A minute and what was counted: all up to its end, as queues keep it, or what happened in it.
 *
 * @param number which one, counted from where {@link Micros} begin
 */
public record Minute(long number, Counts counts) {

  public static final long MICROS = 60 * Micros.PER_SECOND;

  /** The minute that a moment lies in. */
  public static long of(long micros) {
    return Math.floorDiv(micros, MICROS);
  }

  public long from() {
    return number * MICROS;
  }

  /**
   * What happened in each minute that a time touches.
   *
   * @param totals all up to the end of a minute, in their order; only of minutes in which something
   *     changed, with the last one before the time, if one is known
   * @param createdAt when the queue was made. If nothing is known of its beginning, nothing is
   *     claimed about what was before the first that is known
   */
  public static List<Minute> timeline(List<Minute> totals, long createdAt, Period.Range time) {
    boolean isFromTheBeginning =
        totals.isEmpty() || totals.getFirst().number <= Minute.of(createdAt);
    Counts before = isFromTheBeginning ? Counts.NONE : totals.getFirst().counts;
    int next = 0;
    long first = of(time.from());
    while (next < totals.size() && totals.get(next).number < first) {
      before = totals.get(next++).counts;
    }
    List<Minute> minutes = new ArrayList<>();
    for (long number = first; number * MICROS < time.to(); number++) {
      Counts upTo = before;
      if (next < totals.size() && totals.get(next).number == number) {
        upTo = totals.get(next++).counts;
      }
      minutes.add(new Minute(number, upTo.since(before)));
      before = upTo;
    }
    return minutes;
  }
}
