package io.naru.e2e.crash;

import static java.util.concurrent.TimeUnit.MINUTES;

import io.naru.testkit.MariaDbServer;
import io.naru.testkit.Program;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The faults of a MariaDB without a Redis; with {@code -Dcopies.all=true}. */
@Timeout(value = 2, unit = MINUTES)
@TestMethodOrder(MethodOrderer.MethodName.class)
@EnabledIfSystemProperty(named = "copies.all", matches = "true")
class MariaDbCopiesFaultsTest extends DatabaseFaults {

  @RegisterExtension static final Program MARIADB = MariaDbServer.program();

  private static Stage stage;

  @BeforeAll
  static void start(@TempDir Path data) {
    stage = Stage.withoutRedis(Database.MARIADB, data);
  }

  @AfterAll
  static void end() {
    stage.close();
  }

  @Override
  Stage stage() {
    return stage;
  }
}
