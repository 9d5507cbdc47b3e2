package io.naru.kafka;

import java.time.Duration;

/**
 * How long what failed is left alone.
 *
 * @param first after a command failed for the first time; it doubles with each further time
 * @param longest of all, and of a topic that takes nothing
 * @param lookedFor so long a topic is looked for that does not seem to be there
 */
record Pauses(Duration first, Duration longest, Duration lookedFor) {

  static final Pauses DEFAULT =
      new Pauses(Duration.ofMillis(100), Duration.ofSeconds(10), Duration.ofSeconds(3));

  private static final int MAX_DOUBLINGS = 10;

  /**
   * @param before how often it had failed before
   */
  Duration after(int before) {
    Duration doubled = first.multipliedBy(1L << Math.min(before, MAX_DOUBLINGS));
    return doubled.compareTo(longest) < 0 ? doubled : longest;
  }
}
