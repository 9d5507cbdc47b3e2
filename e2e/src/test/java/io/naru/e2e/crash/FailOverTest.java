package io.naru.e2e.crash;

import static java.util.concurrent.TimeUnit.MINUTES;

import io.naru.testkit.PostgresPair;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 3, unit = MINUTES)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class FailOverTest extends FailOvers {

  private static RedisServer redis;
  private static PostgresPair pair;
  private static Stage stage;

  @BeforeAll
  static void start(@TempDir Path data) {
    redis = RedisServer.start(RedisBinary.embedded());
    pair = PostgresPair.start();
    stage = new Stage(data, redis, pair);
  }

  @AfterAll
  static void end() {
    stage.close();
    pair.close();
    redis.close();
  }

  @Override
  PostgresPair pair() {
    return pair;
  }

  @Override
  Stage stage() {
    return stage;
  }
}
