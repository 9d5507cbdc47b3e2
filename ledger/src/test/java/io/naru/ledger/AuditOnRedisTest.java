package io.naru.ledger;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.batch.BatchObserver;
import io.naru.line.Checked;
import io.naru.queue.Actor;
import io.naru.queue.Admission;
import io.naru.queue.Edit;
import io.naru.queue.EntryKey;
import io.naru.queue.Joined;
import io.naru.queue.QueueId;
import io.naru.redis.Redis;
import io.naru.redis.copy.RedisCopy;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisConnection;
import io.naru.testkit.RedisServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What somebody writes into a line in Redis by hand, and what comes of it. */
@Tag("process")
class AuditOnRedisTest {

  private static final AtomicInteger QUEUES = new AtomicInteger();
  private static final int WAITING = 50;
  private static final int INSIDE = 5;

  @TempDir private static Path data;
  private static RedisServer store;
  private static Redis redis;
  private static LedgerFixture server;

  private final QueueId queue = new QueueId("AUDIT", "q" + QUEUES.incrementAndGet());

  @BeforeAll
  static void start() {
    store = RedisServer.start(RedisBinary.embedded());
    redis = Redis.connect(store.uri());
    var config = new Ledger.Config("jdbc:sqlite:" + data.resolve("ledger.db"), null, null, false);
    server = new LedgerFixture(config, new RedisCopy(redis, BatchObserver.NONE));
  }

  @AfterAll
  static void stop() {
    server.close();
    redis.close();
    store.close();
  }

  @BeforeEach
  void fill() {
    get(server.ledger().queues().edit(queue, Edit.activate(Map.of("maxCapacity", 1_000))));
    List<CompletionStage<Joined>> joining = new ArrayList<>();
    for (int i = 0; i < WAITING + INSIDE; i++) {
      joining.add(server.ledger().queues().join(queue, "user" + i));
    }
    joining.forEach(AuditOnRedisTest::get);
    admit(INSIDE);
  }

  private void admit(int count) {
    get(server.ledger().queues().admit(queue, new Admission.ByHand(count, Actor.SYSTEM)));
  }

  private static <T> T get(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().get(20, SECONDS);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private String redis(String command) {
    try (RedisConnection connection = store.connect()) {
      return String.valueOf(
          connection.call(
              command.replace("KEY", "queue:{AUDIT:" + queue.id() + "}:").split(" ", -1)));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private Checked check() {
    return get(server.ledger().check(queue, "")).orElseThrow();
  }

  private void assertFoundAndRepaired(int differences) {
    String before = redis("HGET KEYstate change");

    Checked found = check();

    assertThat(found.differences()).isEqualTo(differences);
    await().until(() -> server.ledger().troubles().isEmpty());
    Checked again = check();
    assertThat(again.entries()).isEqualTo(WAITING + INSIDE);
    assertThat(again.differences()).isZero();
    assertThat(redis("HGET KEYstate change")).isEqualTo(before);
    for (int i = 0; i < WAITING; i++) {
      assertThat(redis("ZRANK KEYwaiting user" + (INSIDE + i))).isEqualTo("" + i);
    }
  }

  @Test
  void nothingWrong_nothingFound() {
    assertThat(check().entries()).isEqualTo(WAITING + INSIDE);
    assertThat(check().differences()).isZero();
  }

  @Test
  void scoreChanged() {
    redis("ZINCRBY KEYwaiting 1000000000 user20");

    assertFoundAndRepaired(1);
  }

  @Test
  void memberSwapped() {
    String score = redis("ZSCORE KEYwaiting user20");
    redis("ZREM KEYwaiting user20");
    redis("ZADD KEYwaiting " + score + " nobody");

    assertFoundAndRepaired(2);
  }

  @Test
  void missingWithTheCountPatched() {
    redis("ZREM KEYwaiting user54");
    redis("HINCRBY KEYstate waiting -1");

    assertFoundAndRepaired(1);
  }

  @Test
  void turnMadeLonger() {
    redis("ZINCRBY KEYentered 60000000 user2");

    assertFoundAndRepaired(1);
  }

  @Test
  void recordOfSomebodyInside_notOne() {
    redis("HSET KEYentries user2 nonsense");

    assertFoundAndRepaired(1);
  }

  @Test
  void busyLine_thousandsOfChanges_noFalseAlarm() throws Exception {
    var isOver = new AtomicBoolean();
    List<Thread> visitors = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      String name = "visitor" + i + "-";
      visitors.add(Thread.ofVirtual().start(() -> comeAndGo(name, isOver)));
    }
    long change = 0;
    try {
      while (change < 2_000) {
        // On a machine that is busy otherwise, a copy may have to be healed now and then.
        Optional<Checked> checked =
            get(server.ledger().check(queue, "").exceptionally(_ -> Optional.empty()));
        assertThat(checked.map(Checked::differences).orElse(0L)).isZero();
        change = checked.map(Checked::change).orElse(change);
      }
    } finally {
      isOver.set(true);
    }
    for (Thread visitor : visitors) {
      visitor.join();
    }
    assertThat(check().differences()).isZero();
  }

  /** One joins, one leaves from somewhere in the line, and now and then some go in. */
  private void comeAndGo(String name, AtomicBoolean isOver) {
    List<EntryKey> mine = new ArrayList<>();
    for (int i = 0; !isOver.get(); i++) {
      if (get(server.ledger().queues().join(queue, name + i))
          instanceof Joined.Waiting(var place)) {
        mine.add(place.entry().key());
      }
      if (i % 3 == 0 && !mine.isEmpty()) {
        get(server.ledger().queues().leave(mine.remove(mine.size() / 2)));
      }
      if (i % 10 == 0) {
        admit(2);
      }
    }
  }
}
