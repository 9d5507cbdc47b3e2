package io.naru.e2e.crash;

import static java.util.concurrent.TimeUnit.MINUTES;

import io.naru.testkit.PostgresPair;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** The same where each server has the line in its memory; with {@code -Dcopies.all=true}. */
@Timeout(value = 3, unit = MINUTES)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@EnabledIfSystemProperty(named = "copies.all", matches = "true")
class CopiesFailOverTest extends FailOvers {

  private static PostgresPair pair;
  private static Stage stage;

  @BeforeAll
  static void start(@TempDir Path data) {
    pair = PostgresPair.start();
    stage = new Stage(data, null, pair);
  }

  @AfterAll
  static void end() {
    stage.close();
    pair.close();
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
