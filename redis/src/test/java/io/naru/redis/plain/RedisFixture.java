package io.naru.redis.plain;

import io.naru.batch.BatchObserver;
import io.naru.queue.QueueId;
import io.naru.redis.Keys;
import io.naru.redis.Redis;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * The queues under test on a real Redis, whose clock can be moved: the scripts are the same, only
 * their {@code now()} adds what a key beside the queue says.
 */
final class RedisFixture implements AutoCloseable {

  final Redis redis;
  final RedisQueues queues;

  RedisFixture(String uri) {
    this(Redis.connect(uri), Scripts.on(settableClock()));
  }

  private RedisFixture(Redis redis, Scripts scripts) {
    this.redis = redis;
    queues = new RedisQueues(redis, BatchObserver.NONE, scripts);
  }

  /** The very scripts of production; the clock is that of Redis. */
  static RedisFixture asInProduction(String uri) {
    return new RedisFixture(Redis.connect(uri), Scripts.standard());
  }

  /** The same, with few commands under way at once. */
  static RedisFixture asInProduction(String uri, int maxCommands) {
    return new RedisFixture(Redis.connect(uri, maxCommands), Scripts.standard());
  }

  /** Moves the clock of one queue; back, if {@code by} is negative. */
  void advance(QueueId queue, Duration by) {
    redis.commands().incrby(clock(queue), by.toNanos() / 1_000).toCompletableFuture().join();
  }

  private static String clock(QueueId queue) {
    return Keys.of(queue)[0] + ":clock";
  }

  private static String settableClock() {
    try (InputStream in = RedisFixture.class.getResourceAsStream("settable-clock.lua")) {
      if (in == null) {
        throw new IllegalStateException("settable-clock.lua is missing");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    redis.close();
  }
}
