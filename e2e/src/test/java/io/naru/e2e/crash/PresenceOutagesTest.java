package io.naru.e2e.crash;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** All servers are gone, or Redis with all that it knew: nobody is absent for that. */
@Timeout(value = 3, unit = MINUTES)
class PresenceOutagesTest {

  private static RedisServer redis;
  private static Stage stage;

  @BeforeAll
  static void start(@TempDir Path data) {
    redis = RedisServer.start(RedisBinary.embedded());
    stage = Stage.linked(Database.POSTGRES, data, new Current<>(redis));
  }

  @AfterAll
  static void end() {
    stage.close();
    redis.close();
  }

  @Test
  void allServersKilled_nobodyWhomTheySawIsTakenForAbsent() throws Exception {
    try (var people = new LostSight(stage, "all-killed", Duration.ZERO)) {
      assertThat(
              people.takenForAbsent(
                  () -> {
                    stage.nodes().forEach(node -> node.process().kill());
                    stage.nodes().parallelStream().forEach(Node::restart);
                  }))
          .isEmpty();
    }
  }

  /** Servers look for as long as it takes to judge, and there is no Redis, then an empty one. */
  @Test
  void redisGoneAndEmpty_whoShowsThemselvesIsNotTakenForAbsent() throws Exception {
    try (var people = new InSight(stage, "redis")) {
      redis.kill();
      people.awaitJudging();
      assertThat(people.letIn(1)).as("without Redis").containsExactly("a0", "a1", "a2", "a3");
      redis.restart();
      people.awaitCopy();
      assertThat(people.letIn(2)).as("with a new one").contains("b0", "b1", "b2", "b3");
      assertThat(people.waiting()).containsExactly("gone-a", "gone-b");
    }
  }
}
