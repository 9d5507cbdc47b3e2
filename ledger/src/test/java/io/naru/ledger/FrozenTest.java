package io.naru.ledger;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.naru.line.Standing;
import io.naru.memory.MemoryCopy;
import io.naru.queue.Edit;
import io.naru.queue.Joined;
import io.naru.queue.QueueId;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A ledger that lost commits, as after a fail-over: nobody's place is overwritten. */
class FrozenTest {

  private static final QueueId QUEUE = new QueueId("FROZEN", "1");

  private final MemoryCopy copy = new MemoryCopy();
  private Ledger.Config config;

  @BeforeEach
  void peopleInLine_thenCommitsLost(@TempDir Path directory) throws Exception {
    config = new Ledger.Config("jdbc:sqlite:" + directory.resolve("ledger.db"), null, null, false);
    try (var server = new LedgerFixture(config, copy)) {
      get(server.ledger().queues().edit(QUEUE, Edit.activate(Map.of("entryIntervalSeconds", 60))));
      get(server.ledger().queues().join(QUEUE, "ann"));
      get(server.ledger().queues().join(QUEUE, "bob"));
    }
    loseTheLastJoin();
  }

  private void loseTheLastJoin() throws SQLException {
    try (var connection = DriverManager.getConnection(config.url());
        var statement = connection.createStatement()) {
      statement.execute("DELETE FROM queue_entries WHERE user_id = 'bob'");
      statement.execute("UPDATE waiting_queues SET change_no = change_no - 1, waiting = 1");
    }
  }

  @Test
  void f16_lineAhead_nothingIsChangedAndEverybodyIsTold() throws Exception {
    try (var server = new LedgerFixture(config, copy)) {
      var queues = server.ledger().queues();

      assertThatThrownBy(() -> get(queues.join(QUEUE, "cid"))).hasMessageContaining("lost commits");

      await()
          .untilAsserted(
              () -> assertThat(server.ledger().troubles().toString()).contains("frozen"));
      await().untilAsserted(() -> assertThat(aheadOf(server, "bob")).isEqualTo(1));
    }
  }

  @Test
  void f16_lineRemovedByHand_theLedgerIsTakenAsItIs() throws Exception {
    get(copy.drop(QUEUE));
    try (var server = new LedgerFixture(config, copy)) {
      var bob = (Joined.Waiting) get(server.ledger().queues().join(QUEUE, "bob"));

      assertThat(bob.place().ahead()).isEqualTo(1);
      await().untilAsserted(() -> assertThat(server.ledger().troubles()).isEmpty());
    }
  }

  private static long aheadOf(LedgerFixture server, String user) throws Exception {
    Standing standing = get(server.ledger().line().locate(QUEUE, user));
    return standing instanceof Standing.Found(var place) ? place.ahead() : -1;
  }

  private static <T> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(10, SECONDS);
  }
}
