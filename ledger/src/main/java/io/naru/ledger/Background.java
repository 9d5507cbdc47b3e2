package io.naru.ledger;

import io.naru.queue.QueueUnavailable;
import io.naru.queue.QueueUnavailable.Kind;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where blocking work is done: a virtual thread each, as many at once as there are connections. */
final class Background implements Executor, AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Background.class);

  /** With a second for a Redis that does not answer before, a visitor still hears within 3 s. */
  private static final Duration PATIENCE = Duration.ofMillis(1_500);

  private final Failures failures;

  private final ExecutorService threads =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("naru-ledger-", 0).factory());

  Background(Failures failures) {
    this.failures = failures;
  }

  Failures failures() {
    return failures;
  }

  @Override
  public void execute(Runnable task) {
    threads.execute(task);
  }

  /**
   * Asks the database for what somebody waits for. One that is slow may go on with it, but nobody
   * waits longer than they should.
   */
  <T> CompletionStage<T> call(String operation, Callable<T> task) {
    return call(operation, PATIENCE, task);
  }

  /** The same, for those who have less of it. */
  <T> CompletionStage<T> call(String operation, Duration patience, Callable<T> task) {
    return explained(operation, start(task).orTimeout(patience.toMillis(), TimeUnit.MILLISECONDS));
  }

  /** The same for what may take its time, because nobody stands and waits for it. */
  <T> CompletionStage<T> callAtLeisure(String operation, Callable<T> task) {
    return explained(operation, start(task));
  }

  /** The same where several take turns; who has given up by then need not be asked for. */
  <T> CompletionStage<T> callInTurn(String operation, Executor turns, Callable<T> task) {
    return explained(
        operation, start(turns, task).orTimeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS));
  }

  private <T> CompletableFuture<T> start(Callable<T> task) {
    return start(threads, task);
  }

  private static <T> CompletableFuture<T> start(Executor threads, Callable<T> task) {
    var answer = new CompletableFuture<T>();
    try {
      threads.execute(
          () -> {
            if (answer.isDone()) {
              return;
            }
            try {
              answer.complete(task.call());
            } catch (Throwable e) {
              answer.completeExceptionally(e);
            }
          });
    } catch (RejectedExecutionException e) {
      answer.completeExceptionally(
          new QueueUnavailable(Kind.DISCONNECTED, "this server is stopping", e));
    }
    return answer;
  }

  private <T> CompletionStage<T> explained(String operation, CompletableFuture<T> answer) {
    return answer.exceptionallyCompose(
        e -> CompletableFuture.failedFuture(failures.unavailable(operation, e)));
  }

  /** Does something again and again, with a pause in between; a failure does not end it. */
  void repeat(Duration pause, Runnable task) {
    threads.execute(
        () -> {
          while (!threads.isShutdown()) {
            try {
              task.run();
            } catch (RejectedExecutionException e) {
              return;
            } catch (RuntimeException e) {
              log.error("something that is done again and again failed unexpectedly", e);
            }
            try {
              Thread.sleep(pause);
            } catch (InterruptedException e) {
              return;
            }
          }
        });
  }

  @Override
  public void close() {
    // Interrupts those that pause; what is under way has no time left either.
    threads.shutdownNow();
    try {
      if (!threads.awaitTermination(3, TimeUnit.SECONDS)) {
        log.warn("some work of the ledger does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
