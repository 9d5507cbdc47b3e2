package io.naru.bench.scenario;

import java.time.Duration;
import java.util.List;

/**
 * How thoroughly to measure.
 *
 * @param round how long each contender is measured at a time
 * @param rounds how often each has its turn
 * @param window whose throughput is compared with the next while warming up
 * @param windows after which warm-up ends, steady or not
 * @param starts of the server whose median is taken
 * @param waiting how many wait while memory and admissions are measured
 * @param lines lengths at which enter and status are compared, the shortest first
 * @param queues numbers of queues at which enter is compared with one queue
 * @param oneServer whether scenarios share a server, to start and warm up only once
 * @param enough after which nothing is measured twice any more
 * @param streams how many watch their place, and for how long
 */
public record Pace(
    int connections,
    Duration round,
    int rounds,
    Duration window,
    int windows,
    int starts,
    int waiting,
    List<Integer> lines,
    List<Integer> queues,
    boolean oneServer,
    Duration enough,
    StreamPace streams) {

  public Pace {
    require(connections >= 1 && connections <= 10_000, "--connections must be 1..10000");
    require(round.toMillis() >= 100 && round.toMinutes() <= 10, "--seconds must be 0.1..600");
    require(waiting >= 1_000 && waiting <= 10_000_000, "--waiting must be 1000..10000000");
    require(rounds >= 1 && rounds <= 1_000, "--rounds must be 1..1000");
    lines = List.copyOf(lines);
    queues = List.copyOf(queues);
  }

  public static final Pace FULL =
      new Pace(
          128,
          Duration.ofSeconds(5),
          5,
          Duration.ofSeconds(1),
          20,
          5,
          1_000_000,
          List.of(1_000, 1_000_000, 5_000_000),
          List.of(1_000, 1_500, 20_000),
          false,
          Duration.ofHours(2),
          StreamPace.FULL);

  public static final Pace QUICK =
      new Pace(
          128,
          Duration.ofMillis(700),
          3,
          Duration.ofMillis(500),
          4,
          3,
          100_000,
          List.of(1_000, 100_000),
          List.of(1_500),
          true,
          Duration.ofSeconds(70),
          StreamPace.QUICK);

  private static void require(boolean condition, String message) {
    if (!condition) {
      throw new IllegalArgumentException(message);
    }
  }
}
