package io.naru.batch;

import io.naru.queue.QueueUnavailable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Turns single requests into batches without waiting for any: while one call is under way, requests
 * collect; when it returns, the next call takes all of them, up to a bound. An idle caller is
 * served at once, a busy one gets more efficient the busier it is. There is no timer.
 *
 * <p>At most one call is under way, so calls happen in order. What collects is bounded too: beyond
 * it a request fails at once instead of growing old in a queue.
 *
 * @param <Q> a request
 * @param <A> its answer
 */
public final class NaturalBatch<Q, A> {

  private final String operation;
  private final int maxBatch;
  private final int maxPending;
  private final Function<List<Q>, CompletionStage<List<A>>> call;
  private final BatchObserver observer;

  private final Object lock = new Object();
  private final ArrayDeque<Pending<Q, A>> pending = new ArrayDeque<>();
  private boolean underWay;

  private record Pending<Q, A>(Q request, CompletableFuture<A> answer) {}

  /**
   * @param call answers a batch, in the order of its requests, without blocking
   */
  public NaturalBatch(
      String operation,
      int maxBatch,
      int maxPending,
      BatchObserver observer,
      Function<List<Q>, CompletionStage<List<A>>> call) {
    this.operation = operation;
    this.maxBatch = maxBatch;
    this.maxPending = maxPending;
    this.observer = observer;
    this.call = call;
  }

  public CompletableFuture<A> submit(Q request) {
    var one = new Pending<>(request, new CompletableFuture<A>());
    List<Pending<Q, A>> batch;
    synchronized (lock) {
      if (pending.size() >= maxPending) {
        return CompletableFuture.failedFuture(
            new QueueUnavailable(
                QueueUnavailable.Kind.OVERLOADED,
                "more than " + maxPending + " requests wait for " + operation));
      }
      pending.add(one);
      if (underWay) {
        return one.answer;
      }
      underWay = true;
      batch = collected(maxBatch);
    }
    send(batch, () -> {});
    return one.answer;
  }

  /**
   * Sends batches until one is under way. Answers that came {@code before} are handed out when the
   * first of them is on its way: the store need not wait for us.
   */
  private void send(List<Pending<Q, A>> first, Runnable before) {
    List<Pending<Q, A>> batch = first;
    Runnable handOutBefore = before;
    while (!batch.isEmpty()) {
      long start = System.nanoTime();
      List<Pending<Q, A>> sent = batch;
      CompletionStage<List<A>> answers = call(sent);
      handOutBefore.run();
      handOutBefore = () -> {};
      if (!answers.toCompletableFuture().isDone()) {
        answers.whenComplete(
            (list, failure) -> {
              Runnable handOut = returned(sent, start, list, failure);
              send(nextOrIdle(), handOut);
            });
        return;
      }
      // Answered at once, as by a lost connection. The next one goes from this loop: nested calls
      // would go as deep as requests keep coming.
      answers.whenComplete((list, failure) -> returned(sent, start, list, failure).run());
      batch = nextOrIdle();
    }
    handOutBefore.run();
  }

  private CompletableFuture<List<A>> call(List<Pending<Q, A>> batch) {
    List<Q> requests = new ArrayList<>(batch.size());
    for (var one : batch) {
      requests.add(one.request);
    }
    try {
      return call.apply(requests).toCompletableFuture();
    } catch (Throwable e) {
      // Whatever it is, those who wait must hear of it, and those after them must get their turn.
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * A batch has come back: what remains is to hand its answers out. Those who collected behind a
   * failed call fail with it: trying each batch of them in turn would make the last ones wait for
   * one time-out after the other.
   */
  private Runnable returned(
      List<Pending<Q, A>> batch,
      long start,
      @Nullable List<A> answers,
      @Nullable Throwable failure) {
    long nanos = System.nanoTime() - start;
    if (answers != null && answers.size() == batch.size()) {
      observe(batch.size(), nanos, null);
      List<A> complete = answers;
      return () -> {
        for (int i = 0; i < batch.size(); i++) {
          batch.get(i).answer.complete(complete.get(i));
        }
      };
    }
    Throwable cause =
        failure != null
            ? failure
            : new IllegalStateException(operation + " did not answer each of " + batch.size());
    observe(batch.size(), nanos, cause);
    List<Pending<Q, A>> behind;
    synchronized (lock) {
      behind = collected(Integer.MAX_VALUE);
    }
    return () -> {
      batch.forEach(one -> one.answer.completeExceptionally(cause));
      behind.forEach(one -> one.answer.completeExceptionally(cause));
    };
  }

  private void observe(int size, long nanos, @Nullable Throwable failure) {
    try {
      observer.answered(operation, size, nanos, failure);
    } catch (RuntimeException e) {
      // A metric that is missing costs less than an answer that is.
    }
  }

  private List<Pending<Q, A>> nextOrIdle() {
    synchronized (lock) {
      List<Pending<Q, A>> next = collected(maxBatch);
      underWay = !next.isEmpty();
      return next;
    }
  }

  private List<Pending<Q, A>> collected(int max) {
    int size = Math.min(max, pending.size());
    List<Pending<Q, A>> batch = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      batch.add(pending.remove());
    }
    return batch;
  }
}
