package io.naru.server;

import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

class StreamOnLedgerTest extends StreamContract {

  /** How far the clock was moved on; the time goes by as well. */
  private static final AtomicLong offsetSeconds = new AtomicLong();

  @TempDir private static Path data;
  private static TestServer server;

  @BeforeAll
  static void start() {
    server = TestServer.start(TestServer.onSqlite(data), StreamOnLedgerTest::now);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Override
  TestServer server() {
    return server;
  }

  @Override
  void overstay(String user) {
    offsetSeconds.addAndGet(301);
  }

  private static Instant now() {
    return Instant.now().plusSeconds(offsetSeconds.get());
  }
}
