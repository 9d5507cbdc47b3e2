package io.naru.e2e.crash;

import static io.naru.e2e.crash.DatabaseFaults.OUTAGE;
import static io.naru.e2e.crash.Faults.last;
import static io.naru.e2e.crash.LostSight.LOOKED;
import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Who is there, and who is not: that takes longer to tell than any fault of the others lasts. Where
 * everything of one kind is gone: {@link PresenceOutagesTest}.
 */
@Timeout(value = 2, unit = MINUTES)
class PresenceFaultsTest {

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
  void aThirdAbsent_thePlacesInsideAreUsedAllTheSame() throws Exception {
    try (var sale = new AbsentSale(stage, 180)) {
      assertThat(sale.usedPercent()).isGreaterThanOrEqualTo(95);
      assertThat(sale.absentInside()).as("let in although they were not there").isZero();
      assertThat(sale.backAfterAll()).as("back in time, and next").isTrue();
    }
  }

  /** Long after servers have begun to judge, as no run of the others lasts. */
  @Test
  void serverKilled_nobodyWhomItSawIsTakenForAbsent() throws Exception {
    try (var people = new LostSight(stage, "killed", LOOKED)) {
      assertThat(people.takenForAbsent(() -> stage.two().process().kill())).isEmpty();
    } finally {
      stage.two().restart();
    }
  }

  @Test
  void databaseGoneForAMoment_nobodyIsTakenForAbsent() throws Exception {
    try (var people = new LostSight(stage, "database", LOOKED)) {
      List<String> absent =
          people.takenForAbsent(
              () -> {
                stage.server().kill();
                last(OUTAGE);
                stage.server().restart();
              });
      assertThat(absent).isEmpty();
    }
  }

  /** Passed over for what they owe, and before they bring it a server is gone, Redis, and all. */
  @Test
  void brokenBetweenPassingOverAndProof_thePlaceIsKeptAndTheProofCounts() throws Exception {
    try (var sale = new OwingSale(stage, "between")) {
      stage.two().process().kill();
      sale.prove("owing-1");
      assertThat(sale.nextInside()).as("proved while a server was gone").isEqualTo("owing-1");
      stage.two().restart();

      redis.restart();
      sale.prove("owing-2");
      assertThat(sale.nextInside()).as("proved while Redis had lost all").isEqualTo("owing-2");

      sale.prove("owing-3");
      stage.nodes().forEach(node -> node.process().kill());
      redis.restart();
      stage.nodes().parallelStream().forEach(Node::restart);
      assertThat(sale.nextInside()).as("proved, and all were killed").isEqualTo("owing-3");

      sale.awaitTimeUp();
      List<String> left = List.of("owing-4", "owing-5", "behind-1", "behind-2");
      assertThat(sale.waiting()).as("our outage is not their delay").isEqualTo(left);
      assertThat(sale.shown()).isEqualTo(left);
      sale.prove("owing-4");
      assertThat(sale.nextInside()).isEqualTo("owing-4");

      assertThat(sale.end("owing-5")).isEqualTo("unproven");
      assertThat(sale.nextInside()).as("nobody stands before them").isEqualTo("behind-1");
    }
  }
}
