package io.naru.ledger;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.naru.memory.MemoryCopy;
import io.naru.queue.Edit;
import io.naru.queue.Joined;
import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import io.naru.queue.Queues;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A newer Naru was started on the same ledger and has changed the tables: a server that runs
 * decides nothing by the rules it knows, and says so.
 */
class OutdatedTest {

  private static final QueueId QUEUE = new QueueId("OLD", "1");
  private static final String NEWER = "a newer Naru made the tables of version";

  private LedgerFixture server;

  Ledger.Config database() {
    return LedgerFixture.sqlite();
  }

  @BeforeEach
  void start() throws Exception {
    server = new LedgerFixture(database(), new MemoryCopy());
    get(queues().edit(QUEUE, Edit.activate(Map.of())));
    assertThat(get(queues().join(QUEUE, "ann"))).isInstanceOf(Joined.Waiting.class);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private Queues queues() {
    return server.ledger().queues();
  }

  private static <T> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(10, SECONDS);
  }

  /** As a migration of that version would leave it. */
  private void raise(int version) throws SQLException {
    execute(
        """
        INSERT INTO naru_schema_history
          (installed_rank, version, description, type, script, checksum, installed_by,
           execution_time, success)
        SELECT MAX(installed_rank) + 1, '%s', 'later', 'SQL', 'later.sql', 0, 'a test', 0, TRUE
        FROM naru_schema_history
        """
            .formatted(version));
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      statement.executeUpdate(sql);
    }
  }

  private long people() throws SQLException {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("SELECT COUNT(*) FROM queue_entries")) {
      result.next();
      return result.getLong(1);
    }
  }

  @Test
  void tablesBecomeNewer_nothingIsDecidedAnyMore() throws Exception {
    raise(Schema.VERSION + 1);

    // The very next transaction: nobody waited for a heartbeat.
    assertThatThrownBy(() -> get(queues().join(QUEUE, "ben")))
        .hasRootCauseInstanceOf(Tables.Outdated.class)
        .hasMessageContaining(NEWER);
    assertThatThrownBy(() -> get(queues().edit(new QueueId("OLD", "2"), Edit.activate(Map.of()))))
        .hasMessageContaining(NEWER);
    assertThatThrownBy(() -> server.ledger().webhooks().kept())
        .isInstanceOf(QueueUnavailable.class)
        .hasMessageContaining(NEWER);
    assertThat(people()).isOne();
    assertThat(server.ledger().isOutdated()).isTrue();
    assertThat(server.ledger().troubles()).first().asString().contains(NEWER);
  }

  @Test
  void tablesBecomeNewer_nobodyAsks_itIsNoticed() throws Exception {
    // Right after the start the copy may still be on its way.
    await().until(() -> server.ledger().troubles().isEmpty());

    raise(Schema.VERSION + 1);

    await().until(() -> server.ledger().isOutdated());
  }

  @Test
  void anotherMigrationOfTheSameVersion_isNoNews() throws Exception {
    raise(Schema.VERSION);

    assertThat(get(queues().join(QUEUE, "ben"))).isInstanceOf(Joined.Waiting.class);
    assertThat(server.ledger().isOutdated()).isFalse();
  }
}
