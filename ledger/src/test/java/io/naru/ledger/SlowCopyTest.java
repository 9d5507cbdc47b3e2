package io.naru.ledger;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.line.LineCopy;
import io.naru.memory.MemoryCopy;
import io.naru.queue.Edit;
import io.naru.queue.QueueId;
import io.naru.testkit.PostgresServer;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A Redis that answers, but late: nobody who comes has to wait for it. */
@Tag("process")
class SlowCopyTest {

  /** The database ends a transaction of which it hears nothing for a second. */
  private static final int LATE_MILLIS = 1_500;

  @Test
  void join_queuesThatWereNotComparedYet_areTaken() throws Exception {
    var database = PostgresServer.shared();
    var config = new Ledger.Config(database.fresh(), database.user(), database.password(), false);
    var copy = new MemoryCopy();
    List<QueueId> all = IntStream.range(0, 2).mapToObj(i -> new QueueId("LATE", "" + i)).toList();
    try (var before = new LedgerFixture(config, copy)) {
      for (QueueId queue : all) {
        before.ledger().queues().edit(queue, Edit.activate(Map.of())).toCompletableFuture().join();
      }
    }
    try (var fixture = new LedgerFixture(config, late(copy))) {
      for (QueueId queue : all) {
        var joined = fixture.ledger().queues().join(queue, "alice").toCompletableFuture();
        assertThat(joined.get(10, SECONDS)).isNotNull();
      }
    }
  }

  private static LineCopy late(LineCopy copy) {
    return (LineCopy)
        Proxy.newProxyInstance(
            LineCopy.class.getClassLoader(),
            new Class<?>[] {LineCopy.class},
            (_, method, args) ->
                switch (method.getName()) {
                  case "isOwn" -> false;
                  case "state" ->
                      ((CompletionStage<?>) method.invoke(copy, args))
                          .thenCompose(SlowCopyTest::after);
                  default -> method.invoke(copy, args);
                });
  }

  private static <T> CompletionStage<T> after(T answer) {
    return new CompletableFuture<T>().completeOnTimeout(answer, LATE_MILLIS, MILLISECONDS);
  }
}
