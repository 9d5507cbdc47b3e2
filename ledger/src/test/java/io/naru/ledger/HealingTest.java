package io.naru.ledger;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.batch.BatchObserver;
import io.naru.queue.Edit;
import io.naru.queue.QueueId;
import io.naru.redis.Redis;
import io.naru.redis.copy.RedisCopy;
import io.naru.testkit.PostgresServer;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisConnection;
import io.naru.testkit.RedisServer;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Copies on a real Redis that are lost, many at once, or that do not fit into it. */
@Tag("process")
class HealingTest {

  /** As the manual says. */
  private static final int CONNECTIONS = 7;

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final PostgresServer database = PostgresServer.shared();
  private RedisServer store;
  private Redis redis;
  private LedgerFixture server;
  private String url;

  @BeforeEach
  void start() {
    store = RedisServer.start(RedisBinary.embedded());
    redis = Redis.connect(store.uri());
    url = database.fresh();
    var config = new Ledger.Config(url, database.user(), database.password(), false);
    server = new LedgerFixture(config, new RedisCopy(redis, BatchObserver.NONE));
  }

  @AfterEach
  void stop() {
    server.close();
    redis.close();
    store.close();
  }

  @Test
  void hundredsOfCopiesLost_takeNoMoreConnectionsThanTheManualSays() throws Exception {
    int queues = 320;
    // Not all at once: what waits too long for its turn is refused.
    for (int from = 0; from < queues; from += 20) {
      List<QueueId> some = IntStream.range(from, from + 20).mapToObj(HealingTest::queue).toList();
      getAll(some, queue -> server.ledger().queues().edit(queue, Edit.activate(Map.of())));
      getAll(some, queue -> server.ledger().queues().join(queue, "ann"));
    }

    var most = new AtomicInteger();
    var isOver = new AtomicBoolean();
    Thread watcher = Thread.ofVirtual().start(() -> watchConnections(most, isOver));
    redis("FLUSHALL");
    await().atMost(PATIENCE).until(() -> copies() == queues);
    await().atMost(PATIENCE).until(() -> server.ledger().troubles().isEmpty());
    isOver.set(true);
    watcher.join();

    assertThat(most.get()).isBetween(1, CONNECTIONS);
  }

  private static QueueId queue(int number) {
    return new QueueId("HEAL", "" + number);
  }

  private void watchConnections(AtomicInteger most, AtomicBoolean isOver) {
    String name = url.substring(url.lastIndexOf('/') + 1);
    String sql = "SELECT count(*) FROM pg_stat_activity WHERE datname = '" + name + "'";
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      while (!isOver.get()) {
        try (var result = statement.executeQuery(sql)) {
          result.next();
          most.accumulateAndGet(result.getInt(1), Math::max);
        }
      }
    } catch (SQLException e) {
      // No connection was left for us: too many, whatever their number.
      most.set(Integer.MAX_VALUE);
    }
  }

  @Test
  void lineThatDoesNotFit_leavesTheShortOnesAloneAndComesBackWhenItDoes() throws Exception {
    QueueId small = new QueueId("HEAL", "small");
    QueueId big = new QueueId("HEAL", "big");
    get(server.ledger().queues().edit(small, Edit.activate(Map.of("maxCapacity", 1))));
    get(server.ledger().queues().edit(big, Edit.activate(Map.of("maxCapacity", 1))));
    await().until(() -> server.ledger().troubles().isEmpty());
    redis("CONFIG SET maxmemory 4mb");

    fill(big, 50_000);
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(troubles()).contains("big").contains("OOM"));
    await().untilAsserted(() -> assertThat(redis("KEYS *staged*")).isEmpty());

    for (int i = 0; i < 200; i++) {
      get(server.ledger().queues().join(small, "u" + i));
      assertThat(redis("HGET queue:{HEAL:small}:state change")).isEqualTo("" + changeOf(small));
    }
    assertThat(troubles()).doesNotContain("small");
    get(server.ledger().queues().join(big, "last"));

    redis("CONFIG SET maxmemory 0");
    await().atMost(PATIENCE).until(() -> server.ledger().troubles().isEmpty());
    assertThat(redis("ZRANK queue:{HEAL:big}:waiting last")).isEqualTo("50000");
    assertThat(redis("KEYS *staged*")).isEmpty();
  }

  private String troubles() {
    return String.join("\n", server.ledger().troubles());
  }

  /** So many join at once, as other servers would have let them. */
  private void fill(QueueId queue, int people) throws SQLException {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute(
          """
          INSERT INTO queue_entries
            (queue_id, score, user_id, status, joined_at, entered_at, expires_at, ended_at, live, change_no)
          SELECT q.id, q.last_joined + n, 'user-with-a-long-name-' || n, 'WAITING', q.last_joined + n, 0, 0, 0, 1,
            q.change_no + 1
          FROM waiting_queues q, generate_series(1, %d) n WHERE q.event_id = '%s'
          """
              .formatted(people, queue.id()));
      statement.execute(
          """
          UPDATE waiting_queues SET change_no = change_no + 1, waiting = waiting + %d,
            last_joined = last_joined + %d, joined_total = joined_total + %d WHERE event_id = '%s'
          """
              .formatted(people, people, people, queue.id()));
      connection.commit();
    }
  }

  private long changeOf(QueueId queue) throws SQLException {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement();
        var result =
            statement.executeQuery(
                "SELECT change_no FROM waiting_queues WHERE event_id = '" + queue.id() + "'")) {
      result.next();
      return result.getLong(1);
    }
  }

  private long copies() throws IOException {
    return redis("KEYS queue:*:state").lines().count();
  }

  private String redis(String command) throws IOException {
    try (RedisConnection connection = store.connect()) {
      return connection.call(command.split(" ", -1));
    }
  }

  private static void getAll(List<QueueId> queues, Function<QueueId, CompletionStage<?>> asking) {
    queues.stream().map(asking).toList().forEach(HealingTest::get);
  }

  private static <T> T get(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().get(30, SECONDS);
    } catch (Exception e) {
      throw new AssertionError("no answer", e);
    }
  }
}
