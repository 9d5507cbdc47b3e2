package io.naru.e2e.crash;

import static java.util.concurrent.TimeUnit.MINUTES;

import io.naru.testkit.MariaDbServer;
import io.naru.testkit.Program;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What breaks in the middle of an opening, on a MariaDB. */
@Timeout(value = 2, unit = MINUTES)
class MariaDbOpeningFaultsTest extends OpeningFaults {

  @RegisterExtension static final Program MARIADB = MariaDbServer.program();

  private static RedisServer redis;
  private static Stage stage;

  @BeforeAll
  static void start(@TempDir Path data) {
    redis = RedisServer.start(RedisBinary.embedded());
    stage = new Stage(Database.MARIADB, data, redis.uri(), redis::connect, Stage::delivered);
  }

  @AfterAll
  static void end() {
    stage.close();
    redis.close();
  }

  @Override
  Stage stage() {
    return stage;
  }
}
