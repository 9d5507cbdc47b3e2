package io.naru.server;

import io.naru.ledger.Ledger;
import io.naru.testkit.PostgresServer;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** Two servers that start at once on a PostgreSQL that decides and a Redis that copies. */
@Tag("process")
class PassOnPostgresAndRedisTest extends PassContract {

  @TempDir private static Path dataOne;
  @TempDir private static Path dataTwo;
  private static RedisServer redis;
  private static Ledger.Config ledger;
  private static TestServer one;
  private static TestServer two;

  @BeforeAll
  static void start() {
    redis = RedisServer.start(RedisBinary.embedded());
    PostgresServer postgres = PostgresServer.shared();
    ledger = new Ledger.Config(postgres.fresh(), postgres.user(), postgres.password(), false);
    var starting = CompletableFuture.supplyAsync(() -> server(dataOne));
    two = server(dataTwo);
    one = starting.join();
  }

  private static TestServer server(Path data) {
    return TestServer.start(TestServer.named(TestServer.config(data, redis.uri(), ledger), ISSUER));
  }

  @AfterAll
  static void stop() {
    one.close();
    two.close();
    redis.close();
  }

  @Override
  TestServer one() {
    return one;
  }

  @Override
  TestServer two() {
    return two;
  }
}
