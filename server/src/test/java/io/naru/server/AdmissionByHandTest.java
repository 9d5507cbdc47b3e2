package io.naru.server;

import static java.util.Objects.requireNonNull;
import static java.util.concurrent.CompletableFuture.failedStage;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.queue.Admission;
import io.naru.queue.Admitted;
import io.naru.queue.Edit;
import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import io.naru.queue.Queues;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An admission by hand of many takes several steps, and something may happen between them. */
class AdmissionByHandTest {

  @TempDir private static Path data;
  private static TestServer server;

  private static final AtomicInteger STEPS = new AtomicInteger();

  /** What becomes of a step behind the first one. */
  private static volatile Step next = (queues, queue, wish) -> queues.admit(queue, wish);

  private interface Step {
    CompletionStage<Admitted> take(Queues queues, QueueId queue, Admission.ByHand wish);
  }

  @BeforeAll
  static void start() {
    var wrapping =
        new Wrapping(
            AdmissionByHandTest::oneByOne, UnaryOperator.identity(), UnaryOperator.identity());
    server = TestServer.start(TestServer.onSqlite(data), wrapping);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @BeforeEach
  void first() {
    STEPS.set(0);
  }

  /** A store whose steps are of one person. */
  private static Queues oneByOne(Queues queues) {
    return (Queues)
        Proxy.newProxyInstance(
            AdmissionByHandTest.class.getClassLoader(),
            new Class<?>[] {Queues.class},
            (_, method, arguments) -> {
              if (method.getName().equals("admit")
                  && arguments[1] instanceof Admission.ByHand(int count, var by)) {
                var one = new Admission.ByHand(1, by);
                var queue = (QueueId) arguments[0];
                return STEPS.getAndIncrement() == 0
                    ? queues.admit(queue, one).thenApply(done -> asOneOf(count, done))
                    : next.take(queues, queue, one);
              }
              try {
                return method.invoke(queues, arguments);
              } catch (InvocationTargetException e) {
                throw requireNonNull(e.getCause());
              }
            });
  }

  private static Admitted asOneOf(int count, Admitted admitted) {
    return admitted instanceof Admitted.Done done
        ? new Admitted.Done(
            done.entries(), done.expired(), count > 1, done.nextRefillMicros(), done.figures())
        : admitted;
  }

  /** The first goes in by themselves; then three wait, whom only a hand lets in. */
  private static void fill(String queue) {
    server.activate(queue, "\"entryBatchSize\":1,\"entryIntervalSeconds\":3600").is(201);
    for (String user : new String[] {"first", "ann", "ben", "cho"}) {
      server.enter(queue, user).is(201);
    }
  }

  @Test
  void storeGoesAway_saysHowManyWentIn() {
    fill("HAND/away");
    next =
        (_, _, _) ->
            failedStage(new QueueUnavailable(QueueUnavailable.Kind.TIMEOUT, "no answer in time"));

    Answer answer = server.process("HAND/away", 3).isProblem(503, "unavailable");

    assertThat(answer.text("detail")).contains("1 of 3").contains("look");
  }

  @Test
  void storeIsAway_doesNotSayToTryAgainUnseen() {
    fill("HAND/unknown");
    STEPS.set(1);
    next =
        (_, _, _) ->
            failedStage(new QueueUnavailable(QueueUnavailable.Kind.TIMEOUT, "no answer in time"));

    Answer answer = server.process("HAND/unknown", 3).isProblem(503, "unavailable");

    assertThat(answer.text("detail")).contains("not known").contains("look");
    assertThat(answer.header("retry-after")).as("programs that go by it").isNull();
  }

  @Test
  void pausedInBetween_countsThoseBefore() {
    fill("HAND/paused");
    next =
        (queues, queue, wish) ->
            queues
                .edit(queue, Edit.of(Edit.Act.PAUSE, "").by(wish.by()))
                .thenCompose(_ -> queues.admit(queue, wish));

    assertThat(server.process("HAND/paused", 3).is(200).json()).isEqualTo(Map.of("admitted", 1));
  }
}
