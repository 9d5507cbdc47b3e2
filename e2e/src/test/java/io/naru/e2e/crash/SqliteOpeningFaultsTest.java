package io.naru.e2e.crash;

import static io.naru.e2e.crash.OpeningFaults.kill;
import static io.naru.e2e.crash.OpeningFaults.requirePhase;
import static io.naru.e2e.crash.OpeningFaults.restart;
import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.queue.Drawing.Phase;
import io.naru.testkit.ServerProcess;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A lobby that opens while a server without any option is killed. */
@Timeout(value = 2, unit = MINUTES)
class SqliteOpeningFaultsTest {

  private static final int MANY = 10_000;

  private static List<Node> nodes;
  private static String url;

  @BeforeAll
  static void start(@TempDir Path data) {
    url = "jdbc:sqlite:" + data.resolve("ledger.db");
    List<String> options = new ArrayList<>(ServerProcess.NAMED_VISITORS);
    options.addAll(List.of("--data", data.toString(), "--site-key", "site-key-of-the-crash-tests"));
    options.addAll(List.of("--admin-key", Stage.ADMIN.substring(Stage.ADMIN.lastIndexOf(' ') + 1)));
    nodes = List.of(new Node("alone", options, Stage::delivered));
  }

  @AfterAll
  static void end() {
    nodes.forEach(Node::close);
  }

  private static Opening opening(String id, int people) throws Exception {
    return new Opening(nodes, () -> DriverManager.getConnection(url), id, people, false);
  }

  @Test
  void kill_beforeTheOpening_whichIsLateThen() throws Exception {
    try (var opening = opening("before", 300).watch()) {
      opening.open(Duration.ofSeconds(1));
      kill(nodes);
      requirePhase(opening, Phase.LOBBY);
      restart(nodes);
      assertThat(opening.breaches()).isEmpty();
    }
  }

  @Test
  void kill_whileTheLineIsMade() throws Exception {
    try (var opening = opening("made", MANY).watch()) {
      opening.open(Duration.ZERO);
      opening.awaitHalfSettled();
      kill(nodes);
      requirePhase(opening, Phase.DRAWN);
      restart(nodes);
      assertThat(opening.breaches()).isEmpty();
    }
  }
}
