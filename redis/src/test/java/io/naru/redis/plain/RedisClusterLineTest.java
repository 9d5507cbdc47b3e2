package io.naru.redis.plain;

import io.naru.line.Line;
import io.naru.line.LineContract;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisCluster;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class RedisClusterLineTest extends LineContract {

  private static RedisCluster store;
  private static RedisFixture fixture;

  @BeforeAll
  static void start() {
    store = RedisCluster.start(RedisBinary.embedded());
    fixture = new RedisFixture(store.uri());
  }

  @AfterAll
  static void stop() {
    fixture.close();
    store.close();
  }

  @Override
  protected Queues queues() {
    return fixture.queues;
  }

  @Override
  protected Line line() {
    return fixture.queues;
  }

  @Override
  protected void advance(QueueId queue, Duration by) {
    fixture.advance(queue, by);
  }
}
