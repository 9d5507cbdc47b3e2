package io.naru.ledger;

import io.naru.batch.BatchObserver;
import io.naru.line.Line;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import io.naru.queue.QueuesContract;
import io.naru.redis.Redis;
import io.naru.redis.RedisCopy;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

class SqliteRedisQueuesTest extends QueuesContract {

  private static RedisServer server;
  private static Redis redis;
  private static LedgerFixture fixture;

  @BeforeAll
  static void start(@TempDir Path directory) {
    String url = "jdbc:sqlite:" + directory.resolve("ledger.db");
    server = RedisServer.start(RedisBinary.embedded());
    redis = Redis.connect(server.uri());
    var copy = new RedisCopy(redis, BatchObserver.NONE);
    fixture = new LedgerFixture(new Ledger.Config(url, null, null, false), copy);
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
