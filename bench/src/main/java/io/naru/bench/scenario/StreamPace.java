package io.naru.bench.scenario;

import java.time.Duration;
import java.util.List;

/**
 * How many watch their place, and for how long.
 *
 * @param viewers numbers that are compared, the smallest first; the last is what we owe figures for
 * @param perServer viewers at each of three servers, or 0 to leave that out
 * @param moving how long the line moves once a second
 * @param still how long it stands still then
 * @param arrivals people who come at once
 * @param within by when the last of them is to be in
 * @param stay how long each of them is inside
 */
public record StreamPace(
    List<Integer> viewers,
    int perServer,
    Duration moving,
    Duration still,
    int arrivals,
    Duration within,
    Duration stay) {

  public StreamPace {
    viewers = List.copyOf(viewers);
  }

  public static final StreamPace FULL =
      new StreamPace(
          List.of(1_000, 15_000),
          15_000,
          Duration.ofSeconds(20),
          Duration.ofSeconds(12),
          10_000,
          Duration.ofSeconds(30),
          Duration.ofSeconds(10));

  public static final StreamPace QUICK =
      new StreamPace(
          List.of(100, 1_000),
          0,
          Duration.ofSeconds(2),
          Duration.ofSeconds(2),
          1_000,
          Duration.ofSeconds(4),
          Duration.ofSeconds(1));
}
