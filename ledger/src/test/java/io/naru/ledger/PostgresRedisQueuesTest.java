package io.naru.ledger;

import io.naru.batch.BatchObserver;
import io.naru.line.Line;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import io.naru.queue.QueuesContract;
import io.naru.redis.Redis;
import io.naru.redis.RedisCopy;
import io.naru.testkit.PostgresServer;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class PostgresRedisQueuesTest extends QueuesContract {

  private static PostgresServer database;
  private static RedisServer server;
  private static Redis redis;
  private static LedgerFixture fixture;

  @BeforeAll
  static void start() {
    database = PostgresServer.shared();
    server = RedisServer.start(RedisBinary.embedded());
    redis = Redis.connect(server.uri());
    var copy = new RedisCopy(redis, BatchObserver.NONE);
    fixture =
        new LedgerFixture(
            new Ledger.Config(database.fresh(), database.user(), database.password(), false), copy);
  }

  @AfterAll
  static void stop() {
    fixture.close();
    redis.close();
    server.close();
  }

  @Override
  protected Queues queues() {
    return fixture.ledger.queues();
  }

  @Override
  protected Line line() {
    return fixture.ledger.line();
  }

  @Override
  protected void advance(QueueId queue, Duration by) {
    fixture.advance(by);
  }
}
