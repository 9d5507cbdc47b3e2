package io.naru.e2e.crash;

import static java.util.concurrent.TimeUnit.MINUTES;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** On a PostgreSQL. */
@Timeout(value = 2, unit = MINUTES)
@TestMethodOrder(MethodOrderer.MethodName.class)
class CopiesFaultsTest extends CopiesFaults {

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
}
