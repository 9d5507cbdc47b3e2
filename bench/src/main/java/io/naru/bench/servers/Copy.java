package io.naru.bench.servers;

import io.naru.testkit.RedisConnection;
import java.io.IOException;
import java.io.UncheckedIOException;

/** A queue's copy in Redis, seen from outside its servers. */
public final class Copy implements AutoCloseable {

  private final RedisConnection redis;
  private final Queue queue;

  Copy(RedisConnection redis, Queue queue) {
    this.redis = redis;
    this.queue = queue;
  }

  /** How many wait according to the copy. */
  public long waiting() {
    return Long.parseLong(call("ZCARD", queue.key("waiting")));
  }

  /** Whether the copy says which change it is at; one that is still being built does not. */
  public boolean isNumbered() {
    return !call("HGET", queue.key("state"), "change").isEmpty();
  }

  /** Loses it, with everything else that is in this Redis. */
  public void lose() {
    call("FLUSHALL");
  }

  private String call(String... words) {
    try {
      return redis.call(words);
    } catch (IOException e) {
      throw new UncheckedIOException("Redis does not answer " + words[0], e);
    }
  }

  @Override
  public void close() {
    try {
      redis.close();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot close the connection to Redis", e);
    }
  }
}
