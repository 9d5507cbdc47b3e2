package io.naru.server;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

class AdminApiOnLedgerTest extends AdminApiContract {

  @TempDir private static Path data;
  private static TestServer server;

  @BeforeAll
  static void start() {
    server = TestServer.start(TestServer.onSqlite(data));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Override
  TestServer server() {
    return server;
  }
}
