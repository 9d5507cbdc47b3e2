package io.naru.ledger;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.line.Line;
import io.naru.line.Told;
import io.naru.memory.MemoryCopy;
import io.naru.queue.Edit;
import io.naru.queue.QueueId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Strangers ask for queues that do not exist. */
class MadeUpQueuesTest {

  private static final QueueId QUEUE = new QueueId("REAL", "1");
  private static final int MANY = 20_000;

  @Test
  void over_manyMadeUpNames_gatesOfAQueueAreTold() throws Exception {
    try (var server = new LedgerFixture(LedgerFixture.sqlite(), new MemoryCopy())) {
      server.ledger().queues().edit(QUEUE, Edit.activate(Map.of())).toCompletableFuture().join();
      server.ledger().queues().join(QUEUE, "ann").toCompletableFuture().join();
      Line line = server.ledger().line();
      List<CompletableFuture<Told>> madeUp = new ArrayList<>();
      for (int i = 0; i < MANY; i++) {
        madeUp.add(over(line, new QueueId("MADEUP", String.valueOf(i))).toCompletableFuture());
      }

      assertThat(over(line, QUEUE).toCompletableFuture().get(10, SECONDS))
          .isInstanceOf(Told.UpTo.class);
      assertThat(madeUp)
          .as("too many, or this shows nothing")
          .anyMatch(CompletableFuture::isCompletedExceptionally);
    }
  }

  private static CompletionStage<Told> over(Line line, QueueId queue) {
    return line.over(queue, 0, _ -> {});
  }
}
