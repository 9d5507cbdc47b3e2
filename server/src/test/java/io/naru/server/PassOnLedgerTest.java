package io.naru.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.ledger.Ledger;
import io.naru.testkit.PostgresServer;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two servers that start at once on a PostgreSQL that decides and a Redis that copies. */
@Tag("process")
class PassOnLedgerTest extends PassContract {

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

  @Test
  void sqlite_atRestAndAfterARestart(@TempDir Path data) throws IOException {
    String before;
    try (TestServer first = TestServer.start(TestServer.onSqlite(data))) {
      before = first.client().get("/.well-known/jwks.json").body();
    }
    for (String file : new String[] {"ledger.db", "ledger.db-wal"}) {
      if (Files.exists(data.resolve(file))) {
        assertThat(Files.readString(data.resolve(file), ISO_8859_1))
            .doesNotContain("\"kty\"", "\"crv\"");
      }
    }
    assertThat(Files.readString(data.resolve("ledger.db"), ISO_8859_1)).contains(" IN_USE ");
    try (TestServer second = TestServer.start(TestServer.onSqlite(data))) {
      assertThat(second.client().get("/.well-known/jwks.json").body()).isEqualTo(before);
    }
  }
}
