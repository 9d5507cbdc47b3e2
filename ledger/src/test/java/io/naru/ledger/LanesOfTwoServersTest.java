package io.naru.ledger;

import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.batch.BatchObserver;
import io.naru.journal.Journaled;
import io.naru.journal.LogStore;
import io.naru.line.InLane;
import io.naru.line.Line;
import io.naru.line.Standing;
import io.naru.queue.Actor;
import io.naru.queue.Admission;
import io.naru.queue.Admitted;
import io.naru.queue.Claim;
import io.naru.queue.Edit;
import io.naru.queue.EntryKey;
import io.naru.queue.Joined;
import io.naru.queue.Json;
import io.naru.queue.Place;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import io.naru.redis.Redis;
import io.naru.redis.copy.RedisCopy;
import io.naru.support.Seeded;
import io.naru.support.ShareRecord;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Two servers on one PostgreSQL and one Redis take people in and let people go in, at the same
 * time, from lanes that come and go. What lanes promise is held against the journal, in which
 * everything stands in the order in which it was decided, by whichever of them; and so is what both
 * told visitors meanwhile.
 */
@Tag("process")
class LanesOfTwoServersTest {

  /** Of a history; {@code -Dnaru.histories=10} has a hundred thousand. */
  private static final int ADMISSIONS = 10_000;

  private static final int LANES = 10;

  /** That many come at once, sometimes. */
  private static final int CROWD = 300;

  /** With more in line, more go in than come. */
  private static final int LONG = 1_000;

  /** Far more than are needed. */
  private static final int MOST_STEPS = ADMISSIONS;

  private final List<Redis> connections = new ArrayList<>();
  private final List<LedgerFixture> servers = new ArrayList<>();
  private RedisServer redis;

  @BeforeEach
  void start() {
    redis = RedisServer.start(RedisBinary.embedded());
    Ledger.Config config = LedgerFixture.postgres();
    for (int i = 0; i < 2; i++) {
      Redis connection = Redis.connect(redis.uri());
      connections.add(connection);
      servers.add(new LedgerFixture(config, new RedisCopy(connection, BatchObserver.NONE)));
    }
  }

  @AfterEach
  void stop() {
    servers.forEach(LedgerFixture::close);
    connections.forEach(Redis::close);
    redis.close();
  }

  @Test
  void lanes_twoServersAdmitAtOnce_eachHasItsShareAndNobodyIsToldTooFew() {
    Seeded.histories(1, this::history);
  }

  private void history(Random random) {
    QueueId queue = new QueueId("LANES", "q" + Long.toHexString(random.nextLong()));
    int[] shares = random.ints(LANES, 1, 20).toArray();
    get(queues(0).edit(queue, Edit.activate(settings(shares))));
    List<Visits> visits =
        IntStream.range(0, 2)
            .mapToObj(i -> new Visits(servers.get(i).ledger(), queue, i, shares, random))
            .toList();

    letIn(visits, LANES - 1);
    // The last lane has been idle for an hour then, and gets no more for that.
    servers.forEach(server -> server.advance(Duration.ofHours(1)));
    letIn(visits, LANES);

    var replay = new Replay(shares, visits.stream().flatMap(v -> v.told.stream()));
    journal(queue).forEach(replay::add);
    replay.end();
    assertThat(replay.record.admitted()).isGreaterThanOrEqualTo(ADMISSIONS);
    assertThat(replay.gone).as("how often a lane went").isGreaterThan(2 * LANES);
  }

  private static Map<String, Object> settings(int... shares) {
    List<Map<String, Object>> lanes = new ArrayList<>();
    for (int share : shares) {
      lanes.add(Map.of("name", "lane" + lanes.size(), "share", share));
    }
    return Map.of(
        "lanes",
        lanes,
        "log",
        true,
        "maxCapacity",
        1_000_000,
        "passTtlSeconds",
        86_400,
        "entryBatchSize",
        1,
        "entryIntervalSeconds",
        3_600,
        "newPlacesPerMinute",
        0);
  }

  private Queues queues(int server) {
    return servers.get(server).ledger().queues();
  }

  private static void letIn(List<Visits> visits, int lanes) {
    visits.stream()
        .map(
            each ->
                CompletableFuture.runAsync(
                    () -> each.letIn(ADMISSIONS / 4, lanes), Thread.ofVirtual()::start))
        .toList()
        .forEach(CompletableFuture::join);
  }

  private List<Journaled> journal(QueueId queue) {
    LogStore logs = servers.getFirst().ledger().logs();
    return logs.behind(1_000).stream()
        .map(behind -> behind.log())
        .filter(log -> log.queue().equals(queue))
        .flatMap(log -> logs.journal(log, 0, 10_000_000).stream())
        .toList();
  }

  private static <T> T get(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().get(30, SECONDS);
    } catch (Exception e) {
      throw new AssertionError("no answer", e);
    }
  }

  /** What somebody who waits was told, as of a change. */
  private record Told(EntryKey entry, long change, long ahead, long atMostBefore) {
    static Told of(Place place) {
      long atMostBefore =
          InLane.of(place.line(), place.score(), place.ahead()).atMostBefore().orElseThrow();
      return new Told(place.entry().key(), place.line().change(), place.ahead(), atMostBefore);
    }
  }

  /** Those who come to one of the servers. */
  private static final class Visits {
    private final Queues queues;
    private final Line line;
    private final QueueId queue;
    private final int server;
    private final int[] shares;
    private final Random random;
    private final List<Told> told = Collections.synchronizedList(new ArrayList<>());
    private int joined;
    private int admitted;

    Visits(Ledger ledger, QueueId queue, int server, int[] shares, Random random) {
      this.queues = ledger.queues();
      this.line = ledger.line();
      this.queue = queue;
      this.server = server;
      this.shares = shares;
      this.random = new Random(random.nextLong());
    }

    /** Lets so many in here, of the first so many lanes. */
    void letIn(int count, int lanes) {
      int wanted = admitted + count;
      for (int step = 0; admitted < wanted; step++) {
        assertThat(step).as("steps for %d who go in", count).isLessThan(MOST_STEPS);
        step("lane" + anyOf(lanes));
      }
    }

    /** The more of a share it has the more come to a lane: none is empty nearly always. */
    private int anyOf(int lanes) {
      int left = random.nextInt(Arrays.stream(shares, 0, lanes).sum());
      int lane = 0;
      while (left >= shares[lane]) {
        left -= shares[lane++];
      }
      return lane;
    }

    /** All of it at once. */
    private void step(String lane) {
      int crowd = random.nextInt(3) == 0 ? CROWD : 4;
      List<CompletionStage<?>> asked = new ArrayList<>();
      for (int i = random.nextInt(crowd); i >= 0; i--) {
        String user = "s" + server + "-" + joined++;
        asked.add(queues.join(queue, user, new Claim(lane, "")).thenAccept(this::hear));
      }
      int most = joined - admitted > LONG ? CROWD : CROWD / 5;
      var byHand = new Admission.ByHand(1 + random.nextInt(most), Actor.SYSTEM);
      asked.add(queues.admit(queue, byHand).thenAccept(this::hear));
      if (!told.isEmpty()) {
        asked.add(queues.leave(anybody()));
        for (int i = 0; i < 10; i++) {
          asked.add(line.locate(queue, anybody().user()).thenAccept(this::hear));
        }
      }
      // Who has no answer may have a place or not: the journal knows.
      asked.forEach(answer -> get(answer.exceptionally(_ -> null)));
    }

    /** Somebody of those of whom was heard lately. */
    private EntryKey anybody() {
      return told.get(told.size() - 1 - random.nextInt(Math.min(told.size(), LONG))).entry;
    }

    private void hear(Joined answer) {
      if (answer instanceof Joined.Waiting(Place place)) {
        hear(place);
      }
    }

    private void hear(Standing answer) {
      if (answer instanceof Standing.Found(Place place) && place.entry().isWaiting()) {
        hear(place);
      }
    }

    private void hear(Place place) {
      told.add(Told.of(place));
    }

    private void hear(Admitted answer) {
      admitted += ((Admitted.Done) answer).entries().size();
    }
  }

  /** The queue once more, change by change, with what was told of each. */
  private static final class Replay {
    private final ShareRecord record;
    private final List<Told> told;
    private final List<List<Long>> lanes = new ArrayList<>();
    private final Map<Long, Integer> laneOf = new HashMap<>();
    private int next;

    /** How often a lane went. */
    private int gone;

    Replay(int[] shares, Stream<Told> told) {
      this.record = new ShareRecord(shares);
      this.told = told.sorted(Comparator.comparingLong(Told::change)).toList();
      IntStream.range(0, shares.length).forEach(_ -> lanes.add(new ArrayList<>()));
    }

    void add(Journaled change) {
      tellBefore(change.change());
      change.lines().forEach(line -> add(Json.readList(line)));
    }

    private void add(List<?> event) {
      switch ((String) event.getFirst()) {
        case "join" -> {
          int lane = Integer.parseInt(((String) event.get(3)).substring("lane".length()));
          laneOf.put(joined(event), lane);
          lanes.get(lane).add(joined(event));
          record.joined(lane, 1);
        }
        case "enter" -> {
          int lane = laneOf(joined(event));
          assertThat(remove(lane, joined(event))).as("before them in their lane").isZero();
          record.admitted(lane);
        }
        case "end" -> {
          int lane = laneOf(joined(event));
          int ahead = remove(lane, joined(event));
          if (ahead >= 0) {
            record.left(lane, ahead);
          }
        }
        default -> {}
      }
    }

    private int laneOf(long joined) {
      return requireNonNull(laneOf.get(joined));
    }

    private static long joined(List<?> event) {
      return ((Number) event.get(1)).longValue();
    }

    /** Says how many were before them; fewer than 0 if they did not wait any more. */
    private int remove(int lane, long joined) {
      List<Long> waiting = lanes.get(lane);
      int ahead = waiting.indexOf(joined);
      if (ahead >= 0) {
        waiting.remove(ahead);
        gone += waiting.isEmpty() ? 1 : 0;
      }
      return ahead;
    }

    void end() {
      tellBefore(Long.MAX_VALUE);
    }

    private void tellBefore(long change) {
      for (; next < told.size() && told.get(next).change < change; next++) {
        Told each = told.get(next);
        int lane = laneOf(each.entry.joined());
        long ahead = lanes.get(lane).indexOf(each.entry.joined());
        assertThat(each.ahead).as("before %s", each).isEqualTo(ahead);
        record.told(lane, (int) ahead, each.atMostBefore);
      }
    }
  }
}
