package io.naru.queue;

import java.util.regex.Pattern;

/**
 * How the site behind a queue did for about a second, as somebody saw it.
 *
 * @param source who: one name per observer, the same each time
 * @param count requests that ended
 * @param errors those of them that failed because of the site
 * @param p95Millis 95 of 100 of them took at most so long
 * @param at the end of that second, in microseconds; 0 for now
 */
public record Signal(String source, long count, long errors, double p95Millis, long at) {

  private static final Pattern SOURCE = Pattern.compile("[A-Za-z0-9._:-]{1,64}");
  private static final String SOURCE_ALLOWED = "1 to 64 of A-Z a-z 0-9 . _ : -";
  private static final long MAX_COUNT = 10_000_000;
  private static final double MAX_MILLIS = 3_600_000;

  /**
   * @throws InvalidValue if one of them is not allowed
   */
  public Signal {
    if (!SOURCE.matcher(source).matches()) {
      throw new InvalidValue("source", SOURCE_ALLOWED, "is not a name of that kind");
    }
    check("count", count, MAX_COUNT);
    check("errors", errors, count);
    // Also what is no number at all is not within.
    if (!(p95Millis >= 0 && p95Millis <= MAX_MILLIS)) {
      throw new InvalidValue("p95Millis", "0..3600000", "is " + p95Millis);
    }
  }

  private static void check(String field, long value, long max) {
    if (value < 0 || value > max) {
      throw new InvalidValue(field, "0.." + max, "is " + value);
    }
  }
}
