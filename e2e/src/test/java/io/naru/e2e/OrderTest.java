package io.naru.e2e;

import static java.util.Comparator.comparingLong;
import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.testkit.HttpConnection;
import io.naru.testkit.HttpConnection.Reply;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisConnection;
import io.naru.testkit.RedisServer;
import io.naru.testkit.ServerProcess;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Two real servers on one real Redis: 20,000 people over 64 connections get places in the order in
 * which they came, and go in in that order, once each, never more than fit.
 */
@Timeout(value = 4, unit = MINUTES)
class OrderTest {

  private static final int PEOPLE = 20_000;
  private static final int CONNECTIONS = 64;
  private static final int SMALL = 6_000;
  private static final int COMPLETING = 1_000;

  /**
   * @param asked when the request was sent, {@code answered} when its answer had come, both on one
   *     clock
   */
  private record Arrival(
      long asked, long answered, long position, String user, String joinedAt, String token) {}

  /** What Redis has kept of an entry. */
  private record Kept(String status, long entered) {}

  @Test
  void everybody_overTwoServers_goInInTheOrderInWhichTheyCame() throws Exception {
    try (var redis = RedisServer.start(RedisBinary.embedded());
        var one = Site.server(redis);
        var two = Site.server(redis);
        var admin = new Site(one)) {
      admin.activate("\"maxCapacity\":1,\"entryBatchSize\":1,\"entryIntervalSeconds\":3600");
      admin.enterAndAwait("first");

      List<Arrival> line = enterAll(List.of(one, two));
      assertPlaces(line);

      var capacity = new AtomicInteger(1);
      var done = new AtomicBoolean();
      try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
        Future<?> watch = threads.submit(() -> watch(redis, capacity, done));
        try {
          capacity.set(SMALL);
          admin.put(
              "\"maxCapacity\":%d,\"entryBatchSize\":100000,\"entryIntervalSeconds\":1"
                  .formatted(SMALL));
          admin.awaitFigure("entered", SMALL);
          completeFirst(List.of(one, two), line);
          admin.awaitFigure("entered", SMALL + COMPLETING);
          assertThat(admin.figure("inside")).isEqualTo(SMALL);
          capacity.set(2 * PEOPLE);
          admin.put("\"maxCapacity\":" + 2 * PEOPLE);
          admin.awaitFigure("entered", PEOPLE + 1);
        } finally {
          done.set(true);
        }
        watch.get();
      }
      assertThat(admin.figure("waiting")).isZero();
      assertThat(admin.figure("inside")).isEqualTo(PEOPLE + 1 - COMPLETING);
      // Redis has let them in a moment before the server that asked for it has counted them.
      await()
          .untilAsserted(
              () ->
                  assertThat(Site.admittedBy(one) + Site.admittedBy(two))
                      .as("admissions of both")
                      .isEqualTo(PEOPLE + 1));
      assertAdmissions(redis, line);
      assertWhatVisitorsSee(two, line);
    }
  }

  private static List<Arrival> enterAll(List<ServerProcess> servers) throws Exception {
    long start = System.nanoTime();
    List<List<Arrival>> all =
        Site.onEachConnection(
            servers,
            CONNECTIONS,
            (connection, number) -> {
              List<Arrival> arrivals = new ArrayList<>();
              for (int i = number; i < PEOPLE; i += CONNECTIONS) {
                String user = "u:" + i;
                long asked = System.nanoTime();
                Reply reply = connection.send("POST", Site.PATH + "/enter", "", "User-Id: " + user);
                long answered = System.nanoTime();
                assertThat(reply.status()).as(reply.body()).isEqualTo(201);
                arrivals.add(
                    new Arrival(
                        asked - start,
                        answered - start,
                        reply.number("position"),
                        user,
                        reply.field("joinedAt"),
                        reply.field("entryToken")));
              }
              return arrivals;
            });
    return all.stream().flatMap(List::stream).sorted(comparingLong(Arrival::position)).toList();
  }

  private static void assertPlaces(List<Arrival> line) {
    assertThat(line.stream().mapToLong(Arrival::position).toArray())
        .as("positions")
        .isEqualTo(LongStream.rangeClosed(1, PEOPLE).toArray());
    long sameMoment = 0;
    for (int i = 1; i < line.size(); i++) {
      String before = line.get(i - 1).joinedAt;
      String after = line.get(i).joinedAt;
      assertThat(before).as("joinedAt at position %d", i + 1).isLessThan(after);
      sameMoment += micros(after) - micros(before) == 1 ? 1 : 0;
    }
    assertThat(sameMoment).as("arrivals in one microsecond, or nearly").isPositive();
    assertOrderOfArrival(line);
  }

  /** If A was acknowledged before B asked, A is before B: over all connections and both servers. */
  private static void assertOrderOfArrival(List<Arrival> line) {
    List<Arrival> byAsking = line.stream().sorted(comparingLong(Arrival::asked)).toList();
    List<Arrival> byAnswer = line.stream().sorted(comparingLong(Arrival::answered)).toList();
    long lastAcknowledged = 0;
    int acknowledged = 0;
    for (Arrival arrival : byAsking) {
      while (byAnswer.get(acknowledged).answered < arrival.asked) {
        lastAcknowledged = Math.max(lastAcknowledged, byAnswer.get(acknowledged).position);
        acknowledged++;
      }
      assertThat(arrival.position).as("place of %s", arrival).isGreaterThan(lastAcknowledged);
    }
    assertThat(acknowledged).as("pairs that could be compared").isGreaterThan(PEOPLE / 2);
  }

  private static void completeFirst(List<ServerProcess> servers, List<Arrival> line)
      throws Exception {
    Site.onEachConnection(
        servers,
        CONNECTIONS,
        (connection, number) -> {
          for (int i = number; i < COMPLETING; i += CONNECTIONS) {
            Reply inside =
                connection.send("GET", "/queue/token/" + line.get(i).token + "/status", "");
            Reply reply =
                connection.send(
                    "POST",
                    Site.PATH + "/complete",
                    "",
                    "Authorization: Bearer " + inside.field("pass"));
            assertThat(reply.status()).as(reply.body()).isEqualTo(200);
          }
          return number;
        });
  }

  private static Object watch(RedisServer redis, AtomicInteger capacity, AtomicBoolean done)
      throws IOException, InterruptedException {
    try (RedisConnection connection = redis.connect()) {
      while (!done.get()) {
        int allowed = capacity.get();
        int inside = Integer.parseInt(connection.call("ZCARD", Site.KEYS + "entered"));
        assertThat(inside).as("inside").isLessThanOrEqualTo(allowed);
        Thread.sleep(1);
      }
      return "watched";
    }
  }

  private static void assertAdmissions(RedisServer redis, List<Arrival> line) throws IOException {
    Map<String, Kept> records = records(redis);
    assertThat(records).hasSize(PEOPLE + 1);
    long lastEntered = 0;
    for (int i = 0; i < line.size(); i++) {
      Arrival arrival = line.get(i);
      Kept record = records.getOrDefault(arrival.user, new Kept("unknown", 0));
      assertThat(record.status)
          .as("status of %s", arrival)
          .isEqualTo(i < COMPLETING ? "COMPLETED" : "ENTERED");
      assertThat(record.entered).as("admission of %s", arrival).isGreaterThanOrEqualTo(lastEntered);
      lastEntered = record.entered;
    }
  }

  private static Map<String, Kept> records(RedisServer redis) throws IOException {
    Map<String, Kept> records = new HashMap<>();
    try (RedisConnection connection = redis.connect()) {
      String[] reply = connection.call("HGETALL", Site.KEYS + "entries").split("\n", -1);
      for (int i = 0; i < reply.length; i += 2) {
        String[] record = reply[i + 1].split(" ", -1);
        records.put(reply[i], new Kept(record[0], Long.parseLong(record[2])));
      }
    }
    return records;
  }

  /** The same through the door: one in a hundred. */
  private static void assertWhatVisitorsSee(ServerProcess server, List<Arrival> line)
      throws IOException {
    try (var connection = new HttpConnection(server.port())) {
      String lastEntered = "";
      for (int i = 0; i < line.size(); i += 100) {
        Arrival arrival = line.get(i);
        Reply status = connection.send("GET", "/queue/token/" + arrival.token + "/status", "");
        assertThat(status.status()).as(status.body()).isEqualTo(200);
        assertThat(status.field("joinedAt")).isEqualTo(arrival.joinedAt);
        assertThat(status.field("status")).isEqualTo(i < COMPLETING ? "COMPLETED" : "ENTERED");
        assertThat(status.field("enteredAt")).isGreaterThanOrEqualTo(lastEntered);
        lastEntered = status.field("enteredAt");
      }
    }
  }

  private static long micros(String time) {
    var instant = Instant.parse(time);
    return instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1_000;
  }

  @Test
  void killNineOfAServerThatTicks_theOtherGoesOn() throws Exception {
    int people = 500;
    long batch = 5;
    try (var redis = RedisServer.start(RedisBinary.embedded());
        var one = Site.server(redis);
        var two = Site.server(redis)) {
      var tokens = new ArrayList<String>();
      try (var admin = new Site(one)) {
        admin.activate("\"entryBatchSize\":%d,\"entryIntervalSeconds\":1".formatted(batch));
        for (int i = 0; i < people; i++) {
          tokens.add(admin.enter("u:" + i).field("entryToken"));
        }
        await().until(() -> Site.admittedBy(one) > 0);
      }
      try (var admin = new Site(two)) {
        one.kill();
        assertThat(one.isAlive()).isFalse();
        long atKill = admin.figure("entered");
        long killedAt = System.nanoTime();

        await()
            .atMost(Duration.ofSeconds(20))
            .until(() -> admin.figure("entered") >= atKill + 3 * batch);

        long seconds = Duration.ofNanos(System.nanoTime() - killedAt).toSeconds();
        assertThat(admin.figure("entered") - atKill)
            .as("no burst to catch up")
            .isLessThanOrEqualTo((seconds + 2) * batch);
        for (String token : tokens) {
          Reply status = admin.get("/queue/token/" + token + "/status");
          assertThat(status.status()).as(status.body()).isEqualTo(200);
        }
        assertThat(admin.figure("joined")).isEqualTo(people);
      }
      assertThat(two.terminate()).as(two.log()).isZero();
    }
  }
}
