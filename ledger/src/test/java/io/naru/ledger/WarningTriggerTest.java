package io.naru.ledger;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.memory.MemoryCopy;
import io.naru.queue.Edit;
import io.naru.queue.Joined;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import java.sql.DriverManager;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What somebody else has put around our tables may warn, each time; joins go on all the same. */
@Tag("process")
class WarningTriggerTest {

  private static final QueueId QUEUE = new QueueId("WARNING", "1");

  @Test
  void everyJoinWarns_onlyTheFirstOneIsLookedUp() throws Exception {
    Ledger.Config config = LedgerFixture.postgres();
    try (var server = new LedgerFixture(config, new MemoryCopy());
        var connection = DriverManager.getConnection(config.url(), config.credentials());
        var statement = connection.createStatement()) {
      Queues queues = server.ledger().queues();
      get(queues.edit(QUEUE, Edit.activate(Map.of())));
      statement.execute("CREATE TABLE written (pid integer)");
      statement.execute(
          """
          CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN
            INSERT INTO written VALUES (pg_backend_pid());
            RAISE WARNING 'careful';
            RETURN NEW;
          END $$
          """);
      statement.execute(
          """
          CREATE TRIGGER warning BEFORE INSERT ON queue_entries
          FOR EACH ROW EXECUTE FUNCTION warn()
          """);

      for (String user : List.of("ann", "ben", "cho", "dan", "eve")) {
        assertThat(get(queues.join(QUEUE, user))).isInstanceOf(Joined.Waiting.class);
      }

      // After one that is in doubt the writer goes on over another connection.
      try (var result = statement.executeQuery("SELECT count(DISTINCT pid) FROM written")) {
        assertThat(result.next()).isTrue();
        assertThat(result.getInt(1)).isEqualTo(2);
      }
    }
  }

  private static <T> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(10, SECONDS);
  }
}
