package io.naru.redis;

import io.naru.batch.BatchObserver;
import io.naru.queue.QueueId;
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
    redis = Redis.connect(uri);
    String clock = settableClock();
    queues =
        new RedisQueues(redis, BatchObserver.NONE, Scripts.load(name -> Script.load(name, clock)));
  }

  void advance(QueueId queue, Duration by) {
    String key = Keys.of(queue)[0] + ":clock";
    redis.commands().incrby(key, by.toNanos() / 1_000).toCompletableFuture().join();
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
