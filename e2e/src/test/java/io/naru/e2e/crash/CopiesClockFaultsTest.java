package io.naru.e2e.crash;

import static java.util.concurrent.TimeUnit.MINUTES;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Clocks that are set, without a Redis; with {@code -Dcopies.all=true}. */
@Timeout(value = 2, unit = MINUTES)
@EnabledIfSystemProperty(named = "copies.all", matches = "true")
class CopiesClockFaultsTest extends ClockFaults {

  private static Clocks clocks;

  @BeforeAll
  static void start(@TempDir Path data) throws Exception {
    clocks = new Clocks(data, null);
  }

  @AfterAll
  static void end() {
    clocks.close();
  }

  @Override
  Clocks clocks() {
    return clocks;
  }
}
