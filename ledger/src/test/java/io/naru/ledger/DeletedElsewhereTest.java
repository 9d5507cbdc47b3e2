package io.naru.ledger;

import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.line.LineCopy;
import io.naru.memory.MemoryCopy;
import io.naru.queue.Actor;
import io.naru.queue.Edit;
import io.naru.queue.Joined;
import io.naru.queue.QueueId;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Two servers with one copy, as in Redis: nothing is kept of a queue that the other one deletes.
 */
@Tag("process")
class DeletedElsewhereTest {

  private static final QueueId QUEUE = new QueueId("DELETED", "1");

  private final LongAdder lookedUp = new LongAdder();
  private LedgerFixture one;
  private LedgerFixture two;

  @BeforeEach
  void start() {
    Ledger.Config config = LedgerFixture.postgres();
    LineCopy shared = everybodys(new MemoryCopy());
    one = new LedgerFixture(config, shared);
    two =
        new LedgerFixture(
            config,
            shared,
            (operation, size, _, _) -> lookedUp.add(operation.equals("lookup") ? size : 0));
  }

  @AfterEach
  void stop() {
    one.close();
    two.close();
  }

  private static LineCopy everybodys(LineCopy copy) {
    return (LineCopy)
        Proxy.newProxyInstance(
            LineCopy.class.getClassLoader(),
            new Class<?>[] {LineCopy.class},
            (_, method, args) -> {
              try {
                return method.getName().equals("isOwn") ? false : method.invoke(copy, args);
              } catch (InvocationTargetException e) {
                throw requireNonNull(e.getCause());
              }
            });
  }

  private long lookedUpForStrangers() throws Exception {
    lookedUp.reset();
    assertThat(get(two.ledger().queues().join(QUEUE, "bob")))
        .isEqualTo(new Joined.Refused(Joined.Reason.NO_QUEUE, 0));
    return lookedUp.sum();
  }

  @Test
  void queueThatWasKnown_isForgotten_andTheWriterIsNotAskedForIt() throws Exception {
    get(one.ledger().queues().edit(QUEUE, Edit.activate(Map.of())));
    assertThat(get(two.ledger().queues().join(QUEUE, "ann"))).isInstanceOf(Joined.Waiting.class);

    get(one.ledger().queues().delete(QUEUE, Actor.SYSTEM));

    // Only a queue that is not known is looked up first.
    await().atMost(10, SECONDS).until(() -> lookedUpForStrangers() == 1);
  }

  private static <T> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(5, SECONDS);
  }
}
