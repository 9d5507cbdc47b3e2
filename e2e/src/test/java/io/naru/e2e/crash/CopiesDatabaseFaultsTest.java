package io.naru.e2e.crash;

import static io.naru.e2e.crash.Faults.killAndRestart;
import static io.naru.e2e.crash.Faults.stayFrozen;
import static io.naru.e2e.crash.Faults.underLoad;
import static java.util.concurrent.TimeUnit.MINUTES;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** The faults of a database, and of servers, without a Redis; with {@code -Dcopies.all=true}. */
@Timeout(value = 2, unit = MINUTES)
@TestMethodOrder(MethodOrderer.MethodName.class)
@EnabledIfSystemProperty(named = "copies.all", matches = "true")
class CopiesDatabaseFaultsTest extends DatabaseFaults {

  private static Stage stage;

  @BeforeAll
  static void start(@TempDir Path data) {
    stage = Stage.withoutRedis(Database.POSTGRES, data);
  }

  @AfterAll
  static void end() {
    stage.close();
  }

  @Override
  Stage stage() {
    return stage;
  }

  @Test
  void f2_killAllServers() throws Exception {
    underLoad(stage, "F2", run -> killAndRestart(run, () -> {}, stage.one(), stage.two()));
  }

  @Test
  void f12_freezeAServer() throws Exception {
    underLoad(
        stage,
        "F12",
        run -> {
          long from = run.history().now();
          stage.one().process().freeze();
          stayFrozen(run, stage.one(), from, OUTAGE);
        });
  }
}
