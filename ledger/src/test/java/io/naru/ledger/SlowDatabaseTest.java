package io.naru.ledger;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.batch.BatchObserver;
import io.naru.line.Line;
import io.naru.line.Standing;
import io.naru.memory.MemoryCopy;
import io.naru.queue.Edit;
import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import io.naru.testkit.FaultProxy;
import io.naru.testkit.FaultProxy.Way;
import io.naru.testkit.PostgresServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A database that answers, but late. */
@Tag("process")
class SlowDatabaseTest {

  private static final QueueId QUEUE = new QueueId("SLOW", "1");

  @Test
  void locate_whatOnlyTheLedgerKnows_isAnsweredInTime() throws Exception {
    var database = PostgresServer.shared();
    try (var proxy = FaultProxy.to(database.port())) {
      String url = database.fresh().replace(":" + database.port(), ":" + proxy.port());
      var config = new Ledger.Config(url, database.user(), database.password(), false);
      try (var fixture = new LedgerFixture(config, new MemoryCopy())) {
        var queues = fixture.ledger().queues();
        queues.edit(QUEUE, Edit.activate(Map.of())).toCompletableFuture().join();
        queues.join(QUEUE, "alice").toCompletableFuture().join();

        proxy.delay(Way.TO_CLIENT, Duration.ofSeconds(2));

        // Several, so that some have to wait for others before them.
        for (int i = 0; i < 3; i++) {
          CompletableFuture<Standing> answer =
              fixture.ledger().line().locate(QUEUE, "nobody").toCompletableFuture();
          Throwable failure = answer.handle((_, e) -> e).get(3, SECONDS);
          assertThat(failure)
              .isNotNull()
              .satisfiesAnyOf(
                  e -> assertThat(e).isInstanceOf(QueueUnavailable.class),
                  e -> assertThat(e).hasCauseInstanceOf(QueueUnavailable.class));
        }
        proxy.heal();
      }
    }
  }

  @Test
  void locate_manyMadeUpQueues_peopleAreAnswered_andNothingIsLeftBehind() throws Exception {
    var database = PostgresServer.shared();
    Set<String> reads = ConcurrentHashMap.newKeySet();
    BatchObserver observer = (operation, _, _, _) -> reads.add(operation);
    try (var proxy = FaultProxy.to(database.port())) {
      String url = database.fresh().replace(":" + database.port(), ":" + proxy.port());
      var config = new Ledger.Config(url, database.user(), database.password(), false);
      try (var fixture = new LedgerFixture(config, new MemoryCopy(), observer)) {
        Line line = fixture.ledger().line();
        var queues = fixture.ledger().queues();
        queues.edit(QUEUE, Edit.activate(Map.of())).toCompletableFuture().join();

        proxy.delay(Way.TO_CLIENT, Duration.ofMillis(3));

        List<CompletableFuture<Standing>> madeUp = locateMadeUp(line);
        Standing honest = line.locate(QUEUE, "nobody").toCompletableFuture().get(5, SECONDS);
        assertThat(honest).isInstanceOf(Standing.Unknown.class);
        madeUp.forEach(each -> each.handle((_, _) -> true).join());
        for (CompletableFuture<Standing> each : locateMadeUp(line)) {
          assertThat(each.get(5, SECONDS)).isInstanceOf(Standing.NoQueue.class);
        }
        assertThat(reads)
            .as("queues that are read apart are remembered")
            .contains("places")
            .doesNotContain("places-apart");
        proxy.heal();
      }
    }
  }

  /** As many as one read of places takes at most. */
  private static List<CompletableFuture<Standing>> locateMadeUp(Line line) {
    List<CompletableFuture<Standing>> asked = new ArrayList<>();
    for (int i = 0; i < 512; i++) {
      QueueId queue = new QueueId("MADEUP", String.valueOf(i));
      asked.add(line.locate(queue, "nobody").toCompletableFuture());
    }
    return asked;
  }
}
