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
  private final ArrayDeque<Waiting<Q, A>> pending = new ArrayDeque<>();
  private boolean underWay;

  private record Waiting<Q, A>(Q request, CompletableFuture<A> answer) {}

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
    var waiting = new Waiting<>(request, new CompletableFuture<A>());
    List<Waiting<Q, A>> batch;
    synchronized (lock) {
      if (pending.size() >= maxPending) {
        return CompletableFuture.failedFuture(
            new QueueUnavailable(
                QueueUnavailable.Kind.OVERLOADED,
                "more than " + maxPending + " requests wait for " + operation));
      }
      pending.add(waiting);
      if (underWay) {
        return waiting.answer;
      }
      underWay = true;
      batch = nextBatch(maxBatch);
    }
    send(batch);
    return waiting.answer;
  }

  private void send(List<Waiting<Q, A>> batch) {
    long start = System.nanoTime();
    List<Q> requests = new ArrayList<>(batch.size());
    for (var waiting : batch) {
      requests.add(waiting.request);
    }
    CompletionStage<List<A>> answers;
    try {
      answers = call.apply(requests);
    } catch (RuntimeException e) {
      answers = CompletableFuture.failedFuture(e);
    }
    answers.whenComplete((list, failure) -> returned(batch, start, list, failure));
  }

  private void returned(
      List<Waiting<Q, A>> batch,
      long start,
      @Nullable List<A> answers,
      @Nullable Throwable failure) {
    observer.answered(operation, batch.size(), System.nanoTime() - start, failure);
    if (answers != null && answers.size() == batch.size()) {
      // The next call is on its way before the answers are handed out: the store need not wait for
      // us.
      sendNext();
      for (int i = 0; i < batch.size(); i++) {
        batch.get(i).answer.complete(answers.get(i));
      }
    } else {
      fail(
          batch,
          failure != null
              ? failure
              : new IllegalStateException(operation + " did not answer each of " + batch.size()));
    }
  }

  private void sendNext() {
    List<Waiting<Q, A>> next;
    synchronized (lock) {
      next = nextBatch(maxBatch);
      underWay = !next.isEmpty();
    }
    if (!next.isEmpty()) {
      send(next);
    }
  }

  /**
   * Those who collected behind a failed call fail with it: trying each batch of them in turn would
   * make the last ones wait for one time-out after the other.
   */
  private void fail(List<Waiting<Q, A>> batch, Throwable cause) {
    List<Waiting<Q, A>> behind;
    synchronized (lock) {
      behind = nextBatch(Integer.MAX_VALUE);
      underWay = false;
    }
    batch.forEach(waiting -> waiting.answer.completeExceptionally(cause));
    behind.forEach(waiting -> waiting.answer.completeExceptionally(cause));
  }

  private List<Waiting<Q, A>> nextBatch(int max) {
    int size = Math.min(max, pending.size());
    List<Waiting<Q, A>> batch = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      batch.add(pending.remove());
    }
    return batch;
  }
}
