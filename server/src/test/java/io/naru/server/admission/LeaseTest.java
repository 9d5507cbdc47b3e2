package io.naru.server.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.batch.BatchObserver;
import io.naru.queue.Admitted;
import io.naru.queue.Edit;
import io.naru.queue.EntryKey;
import io.naru.queue.Figures;
import io.naru.queue.Joined;
import io.naru.queue.QueueId;
import io.naru.queue.Stay.CompletedBy;
import io.naru.redis.Redis;
import io.naru.redis.RedisQueues;
import io.naru.server.metrics.Health;
import io.naru.server.metrics.Metrics;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two schedulers on one Redis: a lease saves work, and never stands in anybody's way. */
@Tag("process")
class LeaseTest {

  private static final QueueId QUEUE = new QueueId("TIMEDEAL", "1");

  /** Nobody waits for this lease to run out by itself within a test. */
  private static final Scheduler.Rhythm LONG_LEASE =
      new Scheduler.Rhythm(Duration.ofMillis(20), Duration.ofMinutes(10));

  private static final Scheduler.Rhythm SHORT_LEASE =
      new Scheduler.Rhythm(Duration.ofMillis(20), Duration.ofMillis(200));

  private static final class Server implements AutoCloseable {
    private final Redis redis;
    private final WatchedQueues queues;
    private final Scheduler scheduler;

    Server(RedisServer store, Scheduler.Rhythm rhythm, String name) {
      redis = Redis.connect(store.uri());
      queues = new WatchedQueues(new RedisQueues(redis, BatchObserver.NONE));
      scheduler = new Scheduler(queues, new Metrics(), new Health(), rhythm, name);
      scheduler.start();
    }

    boolean hasTicked() {
      return queues.outcomes().stream().anyMatch(Admitted.Done.class::isInstance);
    }

    @Override
    public void close() {
      scheduler.close();
      redis.close();
    }
  }

  private RedisServer store;

  @BeforeEach
  void startRedis() {
    store = RedisServer.start(RedisBinary.embedded());
  }

  @AfterEach
  void stopRedis() {
    store.close();
  }

  @Test
  void lease_held_theOtherOnlyAsks() {
    try (var one = new Server(store, LONG_LEASE, "one")) {
      open(one, Map.of("maxCapacity", 1L));
      join(one, "ann");
      join(one, "ben");
      await().until(one::hasTicked);
      try (var two = new Server(store, LONG_LEASE, "two")) {
        two.queues.awaitTicks(5);

        assertThat(two.queues.outcomes()).hasOnlyElementsOfType(Admitted.Leased.class);
        assertThat(one.queues.outcomes()).hasOnlyElementsOfType(Admitted.Done.class);
      }
    }
  }

  @Test
  void placeFreedByWhoeverDoesNotHoldTheLease_isGivenAwayAtOnce() {
    try (var one = new Server(store, LONG_LEASE, "one")) {
      open(one, Map.of("maxCapacity", 1L));
      EntryKey ann = join(one, "ann");
      await().until(() -> figures(one).inside() == 1);
      join(one, "ben");
      try (var two = new Server(store, LONG_LEASE, "two")) {
        two.queues.awaitTicks(1);
        // The holder of the lease is gone, which nobody knows.
        one.scheduler.close();

        two.queues.complete(ann, CompletedBy.VISITOR).toCompletableFuture().join();

        await().until(() -> figures(two).entered() == 2);
      }
    }
  }

  @Test
  void holderGone_theOtherTakesOverWhenTheLeaseEnds() {
    var one = new Server(store, SHORT_LEASE, "one");
    open(one, Map.of());
    join(one, "ann");
    await().until(one::hasTicked);
    try (var two = new Server(store, SHORT_LEASE, "two")) {
      two.queues.awaitTicks(1);
      one.close();

      await().until(two::hasTicked);
      // Found by polling alone: this join is told to nobody.
      two.queues.keepRoomToYourself();
      join(two, "ben");
      await().until(() -> figures(two).entered() == 2);
    }
  }

  @Test
  void both_admitEverybodyOnceAndKeepTheRate() {
    try (var one = new Server(store, SHORT_LEASE, "one");
        var two = new Server(store, SHORT_LEASE, "two")) {
      open(one, Map.of("entryBatchSize", 40L, "entryIntervalSeconds", 3_600L));
      for (int i = 0; i < 100; i++) {
        join(i % 2 == 0 ? one : two, "user-" + i);
      }

      await().until(() -> figures(one).entered() == 40);
      one.queues.awaitTicks(5);
      two.queues.awaitTicks(5);

      assertThat(figures(two).entered()).isEqualTo(40);
      assertThat(figures(two).waiting()).isEqualTo(60);
      assertThat(admitted(one) + admitted(two)).isEqualTo(40);
    }
  }

  private static void open(Server server, Map<String, Object> settings) {
    server.queues.edit(QUEUE, Edit.activate(settings)).toCompletableFuture().join();
  }

  private static EntryKey join(Server server, String user) {
    Joined joined = server.queues.join(QUEUE, user).toCompletableFuture().join();
    assertThat(joined).isInstanceOf(Joined.Waiting.class);
    return ((Joined.Waiting) joined).place().entry().key();
  }

  private static Figures figures(Server server) {
    return server.queues.find(QUEUE).toCompletableFuture().join().orElseThrow().figures();
  }

  private static int admitted(Server server) {
    return server.queues.outcomes().stream()
        .mapToInt(o -> o instanceof Admitted.Done done ? done.entries().size() : 0)
        .sum();
  }
}
