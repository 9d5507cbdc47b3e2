package io.naru.ledger;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.naru.memory.MemoryCopy;
import io.naru.queue.Actor;
import io.naru.queue.Admission;
import io.naru.queue.Admitted;
import io.naru.queue.Edit;
import io.naru.queue.Ended;
import io.naru.queue.EntryKey;
import io.naru.queue.Joined;
import io.naru.queue.QueueId;
import io.naru.queue.Stay.CompletedBy;
import io.naru.testkit.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A server whose user may not make tables, with the rights that are delivered. It does all it has
 * to; where the tables are older than it needs, it says so, and what to do.
 */
@Tag("process")
class RightsTest {

  private static final QueueId QUEUE = new QueueId("RIGHTS", "1");
  private static final int BEFORE = Schema.VERSION - 1;

  @Test
  void security22_postgres_userWithoutTables() throws Exception {
    try (var server = PostgresServer.start("fsync=off")) {
      run(new Ledger.Config(server.url(), server.user(), server.password(), true), "postgresql");
    }
  }

  /**
   * @param admin may do everything
   * @param rights the name of the file
   */
  static void run(Ledger.Config admin, String rights) throws Exception {
    for (String statement : statements(rights)) {
      execute(admin, statement);
    }
    Ledger.Config owner = as("owner", admin);
    Ledger.Config user = as("server", admin);

    assertRefused(user, "its tables are not there", "'naru_server' may not make them");
    UpgradeTest.makeTables(owner, BEFORE);
    assertRefused(user, "of version " + BEFORE, "needs version " + Schema.VERSION, "--ledger-user");

    Ledger.open(owner, InstantSource.system()).close();
    visit(user);
    for (String forbidden :
        new String[] {
          "CREATE TABLE mine (a int)",
          "DROP TABLE queue_entries",
          "ALTER TABLE queue_entries ADD COLUMN mine int"
        }) {
      assertThatThrownBy(() -> execute(user, forbidden))
          .as(forbidden)
          .isInstanceOf(SQLException.class)
          .hasMessageMatching("(?s).*(permission denied|must be owner|command denied).*");
    }
  }

  private static String[] statements(String rights) throws IOException {
    return Files.readString(Path.of("..", "examples", "rights", rights + ".sql"))
        .replaceAll("(?m)^--.*$", "")
        .strip()
        .split(";\\s*", -1);
  }

  private static Ledger.Config as(String who, Ledger.Config admin) {
    return new Ledger.Config(admin.url(), "naru_" + who, "change-me-" + who, true);
  }

  private static void assertRefused(Ledger.Config config, String... reasons) {
    assertThatThrownBy(() -> Ledger.open(config, InstantSource.system()).close())
        .isInstanceOf(LedgerRefused.class)
        .hasMessageContainingAll(reasons);
  }

  /** What a server does with its ledger, from its start to its tidying up. */
  private static void visit(Ledger.Config config) throws Exception {
    try (var server = new LedgerFixture(config, new MemoryCopy())) {
      var queues = server.ledger().queues();
      server.ledger().shared("secret", "candidate");
      get(queues.edit(QUEUE, Edit.activate(Map.of("maxCapacity", 1, "log", true))));
      EntryKey ann = ((Joined.Waiting) get(queues.join(QUEUE, "ann"))).place().entry().key();
      EntryKey bob = ((Joined.Waiting) get(queues.join(QUEUE, "bob"))).place().entry().key();
      var admitted =
          (Admitted.Done) get(queues.admit(QUEUE, new Admission.ByHand(1, Actor.SYSTEM)));
      assertThat(admitted.entries()).hasSize(1);
      assertThat(get(queues.complete(ann, CompletedBy.VISITOR))).isEqualTo(Ended.DONE);
      assertThat(get(queues.leave(bob))).isEqualTo(Ended.DONE);
      assertThat(server.ledger().keys().read()).isNotNull();
      await().untilAsserted(() -> assertThat(server.ledger().troubles()).isEmpty());
      assertThat(get(queues.delete(QUEUE, Actor.SYSTEM))).isTrue();
      server.ledger().retention().run();
      assertThat(server.ledger().retention().troubles()).isEmpty();
    }
  }

  private static void execute(Ledger.Config config, String sql) throws SQLException {
    try (var connection =
            DriverManager.getConnection(config.url(), config.user(), config.password());
        var statement = connection.createStatement()) {
      if (!sql.isBlank()) {
        statement.execute(sql);
      }
    }
  }

  private static <T> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(10, SECONDS);
  }
}
