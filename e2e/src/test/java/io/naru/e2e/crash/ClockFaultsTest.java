package io.naru.e2e.crash;

import static java.util.concurrent.TimeUnit.MINUTES;

import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Clocks that are set, of servers that share a Redis; with {@code -Dcopies.all=true}. */
@Timeout(value = 2, unit = MINUTES)
@EnabledIfSystemProperty(named = "copies.all", matches = "true")
class ClockFaultsTest extends ClockFaults {

  private static RedisServer redis;
  private static Clocks clocks;

  @BeforeAll
  static void start(@TempDir Path data) throws Exception {
    redis = RedisServer.start(RedisBinary.embedded());
    clocks = new Clocks(data, redis);
  }

  @AfterAll
  static void end() {
    clocks.close();
    redis.close();
  }

  @Override
  Clocks clocks() {
    return clocks;
  }
}
