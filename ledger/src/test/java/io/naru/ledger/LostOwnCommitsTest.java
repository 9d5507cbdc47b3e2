package io.naru.ledger;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.naru.memory.MemoryCopy;
import io.naru.queue.Edit;
import io.naru.queue.Joined;
import io.naru.queue.QueueId;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A database that took over lacks what this server had committed, and by the time this server is
 * back at it, others have gone further than that.
 */
@Tag("process")
class LostOwnCommitsTest {

  private static final QueueId QUEUE = new QueueId("LOST", "1");
  private static final QueueId OTHER = new QueueId("LOST", "2");

  private LedgerFixture server;

  @BeforeEach
  void start() throws Exception {
    server = new LedgerFixture(LedgerFixture.postgres(), new MemoryCopy());
    for (QueueId queue : new QueueId[] {OTHER, QUEUE}) {
      get(server.ledger().queues().edit(queue, Edit.activate(Map.of("maxCapacity", 1))));
      join(queue, "ann");
    }
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void f16_othersHaveGoneFurther_whatThisServerCommittedIsMissed() throws Exception {
    join(QUEUE, "bob");
    change(
        """
        DELETE FROM queue_entries WHERE user_id = 'bob';
        UPDATE waiting_queues SET waiting = 1, change_no = change_no + 10 WHERE event_id = '1';
        UPDATE writers SET batch = batch - 1;
        """);
    endConnections();

    assertThat(join(OTHER, "cid")).as("nothing is lost there").isInstanceOf(Joined.Waiting.class);

    await("a look at it without anybody entering")
        .ignoreExceptions()
        .until(() -> get(server.ledger().queues().due()).contains(QUEUE));
    assertThatThrownBy(() -> join(QUEUE, "cid"))
        .hasMessageContaining("the ledger of LOST/1 lost commits of this server");
    assertThat(server.ledger().frozenQueues()).containsExactly(QUEUE);
  }

  @Test
  void connectionsLostAndNothingElse_nothingIsFrozen() throws Exception {
    join(QUEUE, "bob");
    endConnections();

    assertThat(join(QUEUE, "cid")).isInstanceOf(Joined.Waiting.class);
    assertThat(server.ledger().frozenQueues()).isEmpty();
  }

  /** Nothing is known of it then: it may have been long ago. */
  @Test
  void whatThisServerLeftLastIsForgotten_nothingIsFrozen() throws Exception {
    change("DELETE FROM writers");
    endConnections();

    assertThat(join(QUEUE, "cid")).isInstanceOf(Joined.Waiting.class);
    assertThat(server.ledger().frozenQueues()).isEmpty();
  }

  private void endConnections() throws SQLException {
    change(
        """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name LIKE 'naru%' AND datname = current_database()
        """);
  }

  private void change(String statements) throws SQLException {
    try (var connection = server.connect();
        var statement = connection.createStatement()) {
      statement.execute(statements);
    }
  }

  private Joined join(QueueId queue, String user) throws Exception {
    return get(server.ledger().queues().join(queue, user));
  }

  private static <T> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(10, SECONDS);
  }
}
