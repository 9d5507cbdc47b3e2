package io.naru.server;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.ledger.Ledger;
import io.naru.testkit.EventStream;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisConnection;
import io.naru.testkit.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What those who watch see while something is away, and afterwards. */
@Tag("process")
class StreamFaultsTest {

  private static final String QUEUE = "LIVE/1";
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** Ten wait, nobody goes in by the beat; the token is that of the last one. */
  private static String tenWaiting(TestServer server) {
    server.activate(QUEUE, "\"maxCapacity\":1,\"entryIntervalSeconds\":3600").is(201);
    server.enter(QUEUE, "inside").is(201);
    await().until(() -> server.status(QUEUE, "inside").text("status").equals("ENTERED"));
    for (int i = 1; i < 10; i++) {
      server.enter(QUEUE, "user" + i).is(201);
    }
    return server.enter(QUEUE, "user10").is(201).text("entryToken");
  }

  private static EventStream watch(TestServer server, String token) {
    return EventStream.open(server.port(), "/queue/" + QUEUE + "/subscribe/" + token);
  }

  /** Reads on until this is seen; the position never goes up on the way. */
  private static Answer see(EventStream stream, Predicate<Answer> wanted) throws Exception {
    long last = Long.MAX_VALUE;
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (System.nanoTime() < deadline) {
      var event = requireNonNull(stream.next(PATIENCE), "the stream fell silent");
      assertThat(event.name()).isEqualTo("queue-status");
      Answer entry = new Answer(200, Map.of(), event.data());
      assertThat(entry.number("position")).isLessThanOrEqualTo(last);
      last = entry.number("position");
      if (wanted.test(entry)) {
        return entry;
      }
    }
    throw new AssertionError("not seen within " + PATIENCE + "; last position " + last);
  }

  private static boolean isPaused(Answer entry) {
    return Boolean.TRUE.equals(entry.field("paused"));
  }

  private static Predicate<Answer> position(long position) {
    return entry -> entry.number("position") == position;
  }

  private static Ledger.Config sqlite(Path data) {
    return new Ledger.Config("jdbc:sqlite:" + data.resolve("ledger.db"), null, null, false);
  }

  @Test
  void redisKilledAndBack_showsTheLastPlaceAndThenTheRightOne(@TempDir Path data) throws Exception {
    try (var redis =
            RedisServer.start(
                RedisBinary.embedded(), "--appendonly", "yes", "--appendfsync", "always");
        var server = TestServer.start(TestServer.config(data, redis.uri()));
        var stream = watch(server, tenWaiting(server))) {
      see(stream, position(10));

      redis.kill();
      Answer paused = see(stream, StreamFaultsTest::isPaused);
      assertThat(paused.number("position")).isEqualTo(10);

      redis.restart();
      await().atMost(PATIENCE).until(() -> server.leave(QUEUE, "user3").status() == 200);
      // Somebody may be let out before the beat has found out that people can be let in again.
      Answer moved = see(stream, entry -> entry.number("position") == 9 && !isPaused(entry));
      assertThat(Answer.told(moved.json()))
          .isEqualTo(Answer.told(server.status(QUEUE, "user10").json()));
    }
  }

  @Test
  void ledger_redisEmptied_showsTheRightPlaceAgain(@TempDir Path data) throws Exception {
    try (var redis = RedisServer.start(RedisBinary.embedded());
        var server = TestServer.start(TestServer.config(data, redis.uri(), sqlite(data)));
        var stream = watch(server, tenWaiting(server));
        RedisConnection connection = redis.connect()) {
      see(stream, position(10));

      connection.call("FLUSHALL");
      server.leave(QUEUE, "user1").is(200);
      see(stream, position(9));
      server.leave(QUEUE, "user2").is(200);
      see(stream, position(8));
    }
  }

  @Test
  void ledger_redisAway_placesStillMove(@TempDir Path data) throws Exception {
    try (var redis = RedisServer.start(RedisBinary.embedded());
        var server = TestServer.start(TestServer.config(data, redis.uri(), sqlite(data)));
        var stream = watch(server, tenWaiting(server))) {
      see(stream, position(10));

      redis.kill();
      server.leave(QUEUE, "user1").is(200);
      see(stream, position(9));
      server.leave(QUEUE, "user2").is(200);
      see(stream, position(8));

      redis.restart();
      server.leave(QUEUE, "user3").is(200);
      see(stream, position(7));
    }
  }

  @Test
  void twoServers_movesOfOneAreSeenAtTheOther(@TempDir Path first, @TempDir Path second)
      throws Exception {
    try (var redis = RedisServer.start(RedisBinary.embedded());
        var one = TestServer.start(TestServer.config(first, redis.uri()));
        var other = TestServer.start(TestServer.config(second, redis.uri()));
        var stream = watch(other, tenWaiting(one))) {
      see(stream, position(10));

      one.leave(QUEUE, "user4").is(200);
      see(stream, position(9));
      one.activate(QUEUE, "\"maxCapacity\":4").is(200);
      one.process(QUEUE, 3).is(200);
      see(stream, position(6));
    }
  }
}
