package io.naru.server;

import static java.util.Comparator.comparing;
import static java.util.Comparator.comparingLong;
import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.server.keys.SigningKeys;
import io.naru.testkit.HttpConnection;
import io.naru.testkit.HttpConnection.Reply;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisConnection;
import io.naru.testkit.RedisServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two servers that both tick every 10 ms on one line: 10,000 people through 50 places. The race it
 * hunts: two admissions at once that take the same person, or one place too many, or somebody
 * before their turn.
 */
@Tag("process")
class TwoServersTest {

  private static final String QUEUE = "TIMEDEAL/1";
  private static final int PEOPLE = 3_000;
  private static final int CAPACITY = 50;
  private static final int CONNECTIONS = 16;
  private static final Duration BOTH_ALWAYS = Duration.ofMillis(10);

  private record Arrival(String user, long position, String joinedAt, String token) {}

  /** What one saw of an entry that came in and was completed. */
  private record Stay(String joinedAt, String enteredAt, String pass) {}

  @Test
  @Timeout(value = 2, unit = MINUTES)
  void bothTick_everybodyComesInOnceInOrderAndNeverTooMany(@TempDir Path one, @TempDir Path two)
      throws Exception {
    try (var redis = RedisServer.start(RedisBinary.embedded());
        var first = TestServer.start(config(one, redis.uri()));
        var second = TestServer.start(config(two, redis.uri()))) {
      List<TestServer> servers = List.of(first, second);
      first
          .activate(QUEUE, "\"maxCapacity\":1,\"entryBatchSize\":1,\"entryIntervalSeconds\":3600")
          .is(201);
      first.enter(QUEUE, "first").is(201);
      await().until(() -> second.status(QUEUE, "first").text("status").equals("ENTERED"));

      List<Arrival> arrivals = enterAll(servers);
      assertPlaces(arrivals);

      var done = new AtomicBoolean();
      try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
        Future<Integer> most = threads.submit(() -> mostInside(redis, done));
        List<Stay> stays;
        try {
          String open =
              "{\"maxCapacity\":%d,\"entryBatchSize\":100000,\"entryIntervalSeconds\":1}"
                  .formatted(CAPACITY);
          second.admin("PUT", "/admin/queues/" + QUEUE, open).is(200);
          first.complete(QUEUE, first.status(QUEUE, "first").text("pass")).is(200);
          stays = completeAll(servers, arrivals);
        } finally {
          done.set(true);
        }

        assertThat(most.get()).as("most people inside at once").isLessThanOrEqualTo(CAPACITY);
        assertThat(stays).hasSize(PEOPLE);
        assertThat(stays).isSortedAccordingTo(comparing(Stay::joinedAt));
        assertThat(stays).isSortedAccordingTo(comparing(Stay::enteredAt));
      }
      assertThat(first.figures(QUEUE))
          .containsEntry("waiting", 0)
          .containsEntry("inside", 0)
          .containsEntry("entered", PEOPLE + 1)
          .containsEntry("completed", PEOPLE + 1);
      assertThat(admittedBy(first)).isPositive();
      assertThat(admittedBy(second)).isPositive();
      assertThat(admittedBy(first) + admittedBy(second))
          .as("admissions of both")
          .isEqualTo(PEOPLE + 1L);
    }
  }

  private static Naru.Config config(Path data, String redis) {
    return new Naru.Config(
        0,
        "127.0.0.1",
        data,
        redis,
        null,
        TestServer.KEY,
        TestServer.SITE_KEY,
        TestServer.NAMED,
        Naru.Watching.ANY_PORT,
        BOTH_ALWAYS,
        SigningKeys.Policy.DEFAULT);
  }

  private static List<Arrival> enterAll(List<TestServer> servers) throws Exception {
    List<List<Arrival>> all =
        onEachConnection(
            servers,
            (connection, number) -> {
              List<Arrival> arrivals = new ArrayList<>();
              for (int i = number; i < PEOPLE; i += CONNECTIONS) {
                Reply reply =
                    connection.send("POST", "/queue/" + QUEUE + "/enter", "", "User-Id: u:" + i);
                assertThat(reply.status()).as(reply.body()).isEqualTo(201);
                arrivals.add(
                    new Arrival(
                        "u:" + i,
                        reply.number("position"),
                        reply.field("joinedAt"),
                        reply.field("entryToken")));
              }
              // Whoever was answered before they asked stands before them.
              assertThat(arrivals).isSortedAccordingTo(comparingLong(Arrival::position));
              return arrivals;
            });
    return all.stream().flatMap(List::stream).sorted(comparingLong(Arrival::position)).toList();
  }

  private static void assertPlaces(List<Arrival> arrivals) {
    assertThat(arrivals.stream().mapToLong(Arrival::position))
        .containsExactlyElementsOf(
            IntStream.rangeClosed(1, PEOPLE).mapToObj(i -> (long) i).toList());
    assertThat(arrivals).isSortedAccordingTo(comparing(Arrival::joinedAt));
    assertThat(new HashSet<>(arrivals.stream().map(Arrival::joinedAt).toList())).hasSize(PEOPLE);
    assertThat(new HashSet<>(arrivals.stream().map(Arrival::token).toList())).hasSize(PEOPLE);
  }

  /**
   * Everybody looks until they are in, and completes. Each connection has its share of the line, in
   * order; the first who is not done yet is always somebody's next, so this comes to an end.
   */
  private static List<Stay> completeAll(List<TestServer> servers, List<Arrival> line)
      throws Exception {
    List<List<Stay>> all =
        onEachConnection(
            servers,
            (connection, number) -> {
              List<Stay> stays = new ArrayList<>();
              for (int i = number; i < PEOPLE; i += CONNECTIONS) {
                Arrival arrival = line.get(i);
                Stay stay = stay(connection, arrival);
                stays.add(stay);
                Reply completed =
                    connection.send(
                        "POST",
                        "/queue/" + QUEUE + "/complete",
                        "",
                        "Authorization: Bearer " + stay.pass);
                assertThat(completed.status()).as(completed.body()).isEqualTo(200);
              }
              return stays;
            });
    return all.stream().flatMap(List::stream).sorted(comparing(Stay::joinedAt)).toList();
  }

  private static Stay stay(HttpConnection connection, Arrival arrival)
      throws IOException, InterruptedException {
    String path = "/queue/token/" + arrival.token + "/status";
    Reply status = connection.send("GET", path, "");
    while (status.field("status").equals("WAITING")) {
      Thread.sleep(1);
      status = connection.send("GET", path, "");
    }
    assertThat(status.field("status")).as(status.body()).isEqualTo("ENTERED");
    assertThat(status.field("joinedAt")).isEqualTo(arrival.joinedAt);
    return new Stay(arrival.joinedAt, status.field("enteredAt"), status.field("pass"));
  }

  private static int mostInside(RedisServer redis, AtomicBoolean done)
      throws IOException, InterruptedException {
    int most = 0;
    try (RedisConnection connection = redis.connect()) {
      while (!done.get()) {
        int inside = Integer.parseInt(connection.call("ZCARD", "queue:{TIMEDEAL:1}:entered"));
        most = Math.max(most, inside);
        Thread.sleep(1);
      }
    }
    return most;
  }

  private static long admittedBy(TestServer server) {
    try (var management = new Client(server.managementPort())) {
      var count =
          Pattern.compile("naru_wait_seconds_count\\{queue=\"TIMEDEAL/1\"} (\\d+)")
              .matcher(management.get("/metrics").body());
      return count.find() ? Long.parseLong(count.group(1)) : 0;
    }
  }

  private interface Share<T> {
    T of(HttpConnection connection, int number) throws Exception;
  }

  /** Connections take turns between the servers. */
  private static <T> List<T> onEachConnection(List<TestServer> servers, Share<T> share)
      throws ExecutionException, InterruptedException {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<T>> shares = new ArrayList<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        int number = i;
        int port = servers.get(i % servers.size()).port();
        Callable<T> task =
            () -> {
              try (var connection = new HttpConnection(port)) {
                return share.of(connection, number);
              }
            };
        shares.add(threads.submit(task));
      }
      List<T> results = new ArrayList<>();
      try {
        for (Future<T> each : shares) {
          results.add(each.get());
        }
      } catch (ExecutionException e) {
        // The others may be waiting for what will never come now.
        threads.shutdownNow();
        throw e;
      }
      return results;
    }
  }
}
