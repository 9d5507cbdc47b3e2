package io.naru.server;

import io.naru.line.Line;
import io.naru.memory.MemoryQueues;
import io.naru.queue.Queues;
import io.naru.redis.Redis;
import io.naru.redis.RedisQueues;
import io.naru.server.metrics.Metrics;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What keeps the line, as configured.
 *
 * @param secret what all servers of this line sign with
 * @param description for people: what it is and what it survives
 * @param warnings what an operator should know
 */
record Stores(
    Queues queues,
    Line line,
    String secret,
    String description,
    List<String> warnings,
    @Nullable Redis redis)
    implements AutoCloseable {

  private static final String SECRET = "secret";

  /**
   * @param clock of a line in memory; Redis has its own
   */
  static Stores open(Naru.Config config, InstantSource clock, Metrics metrics, KeptSecrets kept) {
    return config.redis() == null ? memory(clock, kept) : redis(config.redis(), metrics);
  }

  private static Stores memory(InstantSource clock, KeptSecrets kept) {
    var queues = new MemoryQueues(clock);
    return new Stores(
        queues,
        queues,
        kept.get(SECRET),
        "in memory, for this one server; a restart empties it",
        List.of(),
        null);
  }

  private static Stores redis(String uri, Metrics metrics) {
    Redis redis;
    try {
      redis = Redis.connect(uri);
    } catch (RuntimeException e) {
      throw new StartFailure("--redis: cannot connect: " + innermost(e).getMessage(), e);
    }
    try {
      var queues = new RedisQueues(redis, metrics);
      String secret = redis.shared(SECRET, KeptSecrets.random());
      Redis.Facts facts = redis.facts();
      return new Stores(queues, queues, secret, facts.description(), facts.warnings(), redis);
    } catch (RuntimeException e) {
      redis.close();
      throw new StartFailure("--redis: " + innermost(e).getMessage(), e);
    }
  }

  /**
   * Redis may have been emptied while we were running: servers that start later must sign as we do.
   */
  void keepSecret() {
    if (redis != null) {
      redis.offer(SECRET, secret);
    }
  }

  private static Throwable innermost(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  @Override
  public void close() {
    if (redis != null) {
      redis.close();
    }
  }
}
