package io.naru.e2e.crash;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.queue.Drawing.Phase;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A lobby that opens while something breaks, on two servers with PostgreSQL and Redis. */
@Timeout(value = 2, unit = MINUTES)
class OpeningFaultsTest extends OpeningFaults {

  private static RedisServer redis;
  private static Stage stage;

  @BeforeAll
  static void start(@TempDir Path data) {
    redis = RedisServer.start(RedisBinary.embedded());
    stage = new Stage(Database.POSTGRES, data, redis.uri(), redis::connect, Stage::delivered);
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

  @Test
  void killOne_beforeTheOpening() throws Exception {
    try (var opening = opening("one-before", FEW, true).watch()) {
      opening.open(Duration.ofSeconds(1));
      kill(List.of(stage.two()));
      requirePhase(opening, Phase.LOBBY);
      opening.awaitPhase(Phase.DONE);
      restart(List.of(stage.two()));
      assertThat(opening.breaches()).isEmpty();
    }
  }

  @Test
  void killAll_beforeTheOpening_whichIsLateThen() throws Exception {
    try (var opening = opening("all-before", FEW, false).watch()) {
      opening.open(Duration.ofSeconds(1));
      kill(stage.nodes());
      requirePhase(opening, Phase.LOBBY);
      restart(stage.nodes());
      assertThat(opening.breaches()).isEmpty();
    }
  }

  @Test
  void killAll_whileTheLobbyIsListed() throws Exception {
    try (var opening = opening("listed", FEW, false).watch()) {
      slow();
      opening.open(Duration.ZERO);
      opening.awaitListing();
      kill(stage.nodes());
      requirePhase(opening, Phase.CLOSED);
      heal();
      restart(stage.nodes());
      assertThat(opening.breaches()).isEmpty();
    }
  }

  @Test
  void killAll_afterwards_nothingIsDrawnAgain() throws Exception {
    try (var opening = opening("all-after", FEW, false).watch()) {
      opening.open(Duration.ZERO);
      opening.awaitPhase(Phase.DONE);
      String draw = opening.drawInLedger();
      kill(stage.nodes());
      restart(stage.nodes());
      assertThat(opening.breaches()).isEmpty();
      assertThat(draw).contains("\"phase\":\"DONE\"");
    }
  }

  @Test
  void redisFlushedAndTheDatabaseKilled_whileTheLineIsMade() throws Exception {
    try (var opening = opening("stores", MANY, false).watch()) {
      slow();
      opening.open(Duration.ZERO);
      opening.awaitHalfSettled();
      try (var connection = redis.connect()) {
        connection.call("FLUSHALL");
      }
      requirePhase(opening, Phase.DRAWN);
      long pid = stage.server().pid();
      stage.server().restart();
      InvalidRun.unless(stage.server().pid() != pid, "it was not killed");
      heal();
      assertThat(opening.breaches()).isEmpty();
    }
  }

  /** Whoever lists the lobby is frozen and sends its list when another one has long been taken. */
  @Test
  void freezeTheOneThatLists_theOtherGoesOn_andTheWokenOneChangesNothing() throws Exception {
    try (var opening = opening("frozen", FEW, true).watch()) {
      opening.open(Duration.ofSeconds(1));
      stage.two().process().freeze();
      try {
        slow();
        opening.awaitListing();
        stage.one().process().freeze();
      } finally {
        stage.two().process().thaw();
      }
      try {
        requirePhase(opening, Phase.CLOSED);
        heal();
        // So the list that the other makes is another one.
        opening.leave(stage.two());
        opening.awaitPhase(Phase.DONE);
      } finally {
        stage.one().process().thaw();
      }
      String draw = opening.drawInLedger();
      assertThat(opening.breaches()).isEmpty();
      assertThat(draw).contains("\"number\":1,");
    }
  }

  @Test
  void opensAt_movedWhileTheyWaitInTheLobby_thereIsOneDrawAtTheLastOfThem() throws Exception {
    try (var opening = opening("moved", FEW, false).watch()) {
      opening.open(Duration.ofMinutes(30));
      opening.open(Duration.ofMinutes(10));
      requirePhase(opening, Phase.LOBBY);
      opening.open(Duration.ZERO);
      assertThat(opening.breaches()).isEmpty();
    }
  }

  @Test
  void pause_beforeTheOpening_theLineIsMadeAndNobodyGoesIn() throws Exception {
    try (var opening = opening("paused", FEW, false).watch()) {
      opening.operator().pause();
      opening.open(Duration.ZERO);
      opening.awaitPhase(Phase.DONE);
      assertThat(opening.rows()).noneMatch(Row::wasAdmitted);
      opening.operator().resume();
      assertThat(opening.breaches()).isEmpty();
    }
  }

  @Test
  void delete_inTheMiddle_leavesNothingBehind() throws Exception {
    try (var opening = opening("deleted", MANY, false)) {
      slow();
      opening.open(Duration.ZERO);
      opening.awaitHalfSettled();
      opening.operator().delete();
      heal();
      // The next queue of that name has nothing to do with it.
      try (var next = opening("deleted", FEW, false).watch()) {
        next.open(Duration.ZERO);
        assertThat(next.breaches()).isEmpty();
      }
    }
    assertNothingIsWrong();
  }

  private static void assertNothingIsWrong() {
    for (Node node : stage.nodes()) {
      assertThat(node.process().log()).doesNotContain("does not go on", "nobody expected");
    }
  }
}
