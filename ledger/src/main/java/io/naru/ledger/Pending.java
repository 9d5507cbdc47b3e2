package io.naru.ledger;

import io.naru.decision.Answer;
import io.naru.decision.Request;
import io.naru.queue.QueueId;
import java.util.concurrent.CompletableFuture;

/**
 * A request that waits for a transaction.
 *
 * @param since when it came, by {@link System#nanoTime}
 */
record Pending<A>(Request<A> request, CompletableFuture<A> answer, long since) {

  static <A> Pending<A> of(Request<A> request) {
    return new Pending<>(request, new CompletableFuture<>(), System.nanoTime());
  }

  QueueId queue() {
    return request.queue();
  }

  boolean isAdmission() {
    return request instanceof Request.Admit;
  }

  void answer(Answer<?> decided) {
    decided.to(request).complete(answer);
  }

  void answerWithoutQueue() {
    Answer.withoutQueue(request).complete(answer);
  }

  void fail(Throwable failure) {
    answer.completeExceptionally(failure);
  }
}
