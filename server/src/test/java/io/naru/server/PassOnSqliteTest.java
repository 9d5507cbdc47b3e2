package io.naru.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One server, on its own ledger. */
class PassOnSqliteTest extends PassContract {

  @TempDir private static Path data;
  private static TestServer server;

  @BeforeAll
  static void start() {
    server = TestServer.start(TestServer.named(TestServer.onSqlite(data), ISSUER));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Override
  TestServer one() {
    return server;
  }

  @Override
  TestServer two() {
    return server;
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
