package io.naru.server;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

class StreamOnMemoryTest extends StreamContract {

  private static final MovableClock clock = new MovableClock();

  @TempDir private static Path data;
  private static TestServer server;

  @BeforeAll
  static void start() {
    server = TestServer.start(TestServer.config(data, null), clock);
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
    clock.advance(Duration.ofSeconds(301));
  }
}
