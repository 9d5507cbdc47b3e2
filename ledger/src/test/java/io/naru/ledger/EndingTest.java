package io.naru.ledger;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.line.Standing;
import io.naru.memory.MemoryCopy;
import io.naru.queue.Admission;
import io.naru.queue.Admitted;
import io.naru.queue.Edit;
import io.naru.queue.Entry.Status;
import io.naru.queue.Figures;
import io.naru.queue.QueueId;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A long line is ended step by step, by whoever is there. */
@Tag("process")
class EndingTest {

  private static final QueueId QUEUE = new QueueId("END", "1");
  private static final int PEOPLE = 5_000;

  private static <T> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(20, SECONDS);
  }

  @Test
  void end_serverGoneHalfWay_isFinishedByAnother() throws Exception {
    Ledger.Config config = LedgerFixture.postgres();
    try (var first = new LedgerFixture(config, new MemoryCopy())) {
      var queues = first.ledger().queues();
      get(queues.edit(QUEUE, Edit.activate(Map.of("entryIntervalSeconds", 3_600))));
      CompletableFuture<?>[] joins =
          IntStream.range(0, PEOPLE)
              .mapToObj(i -> queues.join(QUEUE, "user" + i).toCompletableFuture())
              .toArray(CompletableFuture[]::new);
      get(CompletableFuture.allOf(joins));
      get(queues.edit(QUEUE, Edit.of(Edit.Act.END, "")));
      get(queues.admit(QUEUE, new Admission.Paced()));
      Admitted.NotActive second =
          (Admitted.NotActive) get(queues.admit(QUEUE, new Admission.Paced()));
      assertThat(second.more()).isTrue();
      assertThat(second.figures().waiting()).isEqualTo(PEOPLE - 2 * Admission.MAX_STEP);
    }
    // It said nothing to anybody; the next one finds what is left by itself.
    try (var other = new LedgerFixture(config, new MemoryCopy())) {
      var queues = other.ledger().queues();
      Standing last = get(other.ledger().line().locate(QUEUE, "user" + (PEOPLE - 1)));
      assertThat(((Standing.Found) last).place().entry().status()).isEqualTo(Status.EXPIRED);
      int steps = 0;
      while (get(queues.due()).contains(QUEUE)) {
        get(queues.admit(QUEUE, new Admission.Paced()));
        steps++;
      }
      assertThat(steps).isEqualTo(3);
      Figures figures = get(queues.find(QUEUE)).orElseThrow().figures();
      assertThat(figures.waiting()).isZero();
      assertThat(figures.expired()).as("each once").isEqualTo(PEOPLE);
    }
  }
}
