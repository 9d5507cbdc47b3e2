package io.naru.load.plan;

import io.naru.load.Range;

/**
 * What is expected of an event. Of capacity, rate and within, at least one is given; the others
 * follow from it.
 *
 * @param people who come
 * @param arriveSeconds within which most of them do
 * @param staySeconds how long each is inside, on average
 * @param capacity how many the site can have at once; 0 if that is to be found out
 * @param perSecond how many new ones it can take in a second; 0 likewise
 * @param withinSeconds by when the last one should be in; 0 if it does not matter
 * @param requests that each of them makes at the site
 */
public record Expected(
    int people,
    int arriveSeconds,
    double staySeconds,
    int capacity,
    double perSecond,
    int withinSeconds,
    double requests) {

  /** What telling the last one takes, with the step that they go in with. */
  static final double TELLING_SECONDS = 1.5;

  public Expected {
    Range.check("--people", people, 1, 10_000_000);
    Range.check("--arrive", arriveSeconds, 1, 86_400);
    Range.check("--stay", staySeconds, 0.1, 86_400);
    Range.check("--requests", requests, 0, 10_000);
    if (capacity == 0 && perSecond == 0 && withinSeconds == 0) {
      throw new IllegalArgumentException(
          "say what is known: --capacity (how many the site can have at once), --rate (how many"
              + " new ones it takes in a second) or --within (by when the last one should be in)");
    }
    if (capacity != 0) {
      Range.check("--capacity", capacity, 1, 10_000_000);
    }
    if (perSecond != 0) {
      Range.check("--rate", perSecond, 0.001, 100_000);
    }
    if (withinSeconds != 0) {
      Range.check("--within", withinSeconds, 2, 86_400);
    }
  }
}
