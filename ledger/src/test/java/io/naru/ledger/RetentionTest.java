package io.naru.ledger;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.memory.MemoryCopy;
import io.naru.queue.Edit;
import io.naru.queue.EntryKey;
import io.naru.queue.Joined;
import io.naru.queue.Micros;
import io.naru.queue.QueueId;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What nobody asks for any more is deleted, and a copy from before that is built anew. */
class RetentionTest {

  private static final QueueId QUEUE = new QueueId("KEPT", "1");
  private static final long LATER = Micros.of(Instant.parse("2126-01-01T00:00:00Z"));

  private Ledger.Config config;
  private LedgerFixture server;

  @BeforeEach
  void start(@TempDir Path directory) throws Exception {
    config = new Ledger.Config("jdbc:sqlite:" + directory.resolve("ledger.db"), null, null, false);
    server = new LedgerFixture(config, new MemoryCopy());
    get(queues().edit(QUEUE, Edit.activate(Map.of("maxCapacity", 1))));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private LedgerQueues queues() {
    return (LedgerQueues) server.ledger().queues();
  }

  private EntryKey join(String user) throws Exception {
    return ((Joined.Waiting) get(queues().join(QUEUE, user))).place().entry().key();
  }

  private long count(String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(config.url());
        var statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      result.next();
      return result.getLong(1);
    }
  }

  @Test
  void sweep_endedLongAgo_isDeletedAndTheLiveStay() throws Exception {
    get(queues().leave(join("ann")));
    join("bob");

    assertThat(get(queues().sweep(QUEUE, LATER))).isEqualTo(1);
    assertThat(get(queues().sweep(QUEUE, LATER))).isZero();

    assertThat(count("SELECT count(*) FROM queue_entries")).isEqualTo(1);
    assertThat(get(queues().find(QUEUE)).orElseThrow().figures().left()).isEqualTo(1);
  }

  @Test
  void sweep_copyFromBefore_isLost() throws Exception {
    get(queues().leave(join("ann")));
    long before = get(queues().find(QUEUE)).orElseThrow().figures().change();
    get(queues().sweep(QUEUE, LATER));
    var of = Rows.original(QUEUE, server.ledger().id(), count("SELECT id FROM waiting_queues"));

    assertThat(queues().reader().since(of, before - 1, 100)).isEmpty();
    assertThat(queues().reader().since(of, before, 100)).isPresent();
  }

  @Test
  void delete_queueIsGoneAtOnce_itsEntriesLater() throws Exception {
    join("ann");
    join("bob");
    get(queues().delete(QUEUE));
    assertThat(count("SELECT count(*) FROM queue_entries")).isEqualTo(2);

    try (Connection connection = DriverManager.getConnection(config.url())) {
      var rows = new Rows(connection);
      assertThat(rows.purge(1)).isEqualTo(1);
      assertThat(rows.purge(10)).isEqualTo(1);
      rows.purge(10);
      assertThat(rows.purge(10)).as("nothing is left to do").isZero();
    }
    assertThat(count("SELECT count(*) FROM queue_entries")).isZero();
    assertThat(count("SELECT count(*) FROM deleted_queues")).isZero();
  }

  private static <T> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(10, SECONDS);
  }
}
