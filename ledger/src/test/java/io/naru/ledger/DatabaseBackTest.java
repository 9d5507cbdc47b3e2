package io.naru.ledger;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.line.Standing;
import io.naru.memory.MemoryCopy;
import io.naru.queue.Edit;
import io.naru.queue.Joined;
import io.naru.queue.Overview;
import io.naru.queue.QueueId;
import io.naru.testkit.DatabaseServer;
import io.naru.testkit.MariaDbServer;
import io.naru.testkit.PostgresServer;
import io.naru.testkit.Program;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A database was away for a while and is back: from then on everybody who asks is answered. */
@Tag("process")
class DatabaseBackTest {

  @RegisterExtension private static final Program mariaDb = MariaDbServer.program();

  private static final QueueId QUEUE = new QueueId("BACK", "1");

  /** A pool that waits longer and longer between its tries would wait for seconds after that. */
  private static final Duration OUTAGE = Duration.ofSeconds(4);

  @Test
  void postgresIsBack_everyReadIsAnswered() throws Exception {
    try (var database = PostgresServer.start()) {
      assertEveryReadIsAnswered(database);
    }
  }

  @Test
  void mariaDbIsBack_everyReadIsAnswered() throws Exception {
    try (var database = MariaDbServer.start()) {
      assertEveryReadIsAnswered(database);
    }
  }

  private static void assertEveryReadIsAnswered(DatabaseServer database) throws Exception {
    var config = new Ledger.Config(database.url(), database.user(), database.password(), false);
    try (var fixture = new LedgerFixture(config, new MemoryCopy())) {
      Ledger ledger = fixture.ledger();
      get(ledger.queues().edit(QUEUE, Edit.activate(Map.of())));
      get(ledger.queues().join(QUEUE, "ann"));

      database.kill();
      // As visitors do: each of their questions wants a connection.
      await()
          .pollDelay(OUTAGE)
          .atMost(OUTAGE.plusSeconds(10))
          .until(() -> ledger.queues().find(QUEUE), DatabaseBackTest::hasFailed);
      database.restart();

      for (int round = 0; round < 20; round++) {
        // More at once than there are connections, and of kinds that do not wait for each other.
        List<CompletionStage<Optional<Overview>>> found = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
          found.add(ledger.queues().find(QUEUE));
        }
        CompletionStage<Standing> nobody = ledger.line().locate(QUEUE, "nobody");
        for (CompletionStage<Optional<Overview>> one : found) {
          assertThat(get(one)).isPresent();
        }
        assertThat(get(nobody)).isInstanceOf(Standing.Unknown.class);
      }
      // Nobody wrote while it went: the writer finds out with the first who comes.
      assertThat(get(ledger.queues().join(QUEUE, "bob"))).isInstanceOf(Joined.Waiting.class);
    }
  }

  private static boolean hasFailed(CompletionStage<?> stage) {
    CompletableFuture<?> answer = stage.toCompletableFuture();
    return answer.handle((_, e) -> e != null).join();
  }

  private static <T> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(10, SECONDS);
  }
}
