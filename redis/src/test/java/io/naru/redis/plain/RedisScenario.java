package io.naru.redis.plain;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.naru.line.Line;
import io.naru.queue.Actor;
import io.naru.queue.Admission;
import io.naru.queue.Edit;
import io.naru.queue.EntryKey;
import io.naru.queue.QueueId;
import io.naru.queue.QueueScenario;
import io.naru.queue.QueueUnavailable;
import io.naru.queue.Stay.CompletedBy;
import io.naru.redis.Keys;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.awaitility.Awaitility;

/** A queue on a Redis that the test can look into, and that may fail. */
abstract class RedisScenario extends QueueScenario {

  static final Admission BEAT = new Admission.Paced();

  abstract RedisFixture fixture();

  @Override
  protected RedisQueues queues() {
    return fixture().queues;
  }

  @Override
  protected Line line() {
    return fixture().queues;
  }

  @Override
  protected void advance(QueueId of, Duration by) {
    fixture().advance(of, by);
  }

  final RedisClusterAsyncCommands<String, String> redis() {
    return fixture().redis.commands();
  }

  /** The name of one of the queue's keys, as an operator would type it. */
  final String key(String part) {
    return "queue:{" + Keys.name(queue) + "}:" + part;
  }

  record Call(String name, Supplier<CompletionStage<?>> ask) {}

  /** Every call that a server makes of the two ports. */
  final List<Call> everyCall(EntryKey entry) {
    return List.of(
        new Call("join", () -> queues().join(queue, "somebody")),
        new Call("locate", () -> line().locate(queue, entry.user())),
        new Call("earlier", () -> line().earlier(entry)),
        new Call("leave", () -> queues().leave(entry)),
        new Call("complete", () -> queues().complete(entry, CompletedBy.VISITOR)),
        new Call("admit", () -> queues().admit(queue, BEAT)),
        new Call("edit", () -> queues().edit(queue, Edit.activate(Map.of("title", "Sale")))),
        new Call("find", () -> queues().find(queue)),
        new Call("list", () -> queues().list(null, 10)),
        new Call("delete", () -> queues().delete(queue, Actor.SYSTEM)));
  }

  /** Waits for what Redis does in its own time. */
  static void eventually(Callable<Boolean> condition) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(20))
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(10))
        .ignoreExceptionsInstanceOf(QueueUnavailable.class)
        .until(condition);
  }

  /** How a call fails that must fail: in words that are known, and in time for an answer. */
  static QueueUnavailable failure(CompletionStage<?> call) {
    try {
      Object answer = call.toCompletableFuture().get(3, SECONDS);
      throw new AssertionError("should fail, but answers " + answer);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof QueueUnavailable expected) {
        return expected;
      }
      throw new AssertionError("should say that the queue is unavailable", e);
    } catch (TimeoutException e) {
      throw new AssertionError("neither an answer nor a failure within 3 s", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }
}
