package io.naru.server.wait;

import io.naru.queue.Overview;
import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import io.naru.queue.Queues;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The halls of this server's queues, kept so that a page costs the store at most one question per
 * queue and second, and is there while the store is not. Only queues that exist are kept, and only
 * so many; questions under way are bounded, so names that somebody makes up fill nothing.
 */
final class Halls {

  private static final int MAX_HALLS = 256;
  private static final int MAX_ASKING = 64;
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** How long somebody waits for what is new, if there is something older to show. */
  private static final long PATIENCE_MILLIS = 250;

  private final Queues queues;
  private final Map<QueueId, CompletableFuture<Optional<Hall>>> asking = new HashMap<>();
  private final Map<QueueId, Seen> halls = new LinkedHashMap<>(16, 0.75f, true);

  private record Seen(Hall hall, long readAt) {}

  Halls(Queues queues) {
    this.queues = queues;
  }

  /** The hall of a queue; empty if there is no such queue. Fails only if it was never seen. */
  CompletionStage<Optional<Hall>> find(QueueId queue) {
    Seen seen;
    CompletableFuture<Optional<Hall>> answer;
    boolean isOurs = false;
    synchronized (this) {
      seen = halls.get(queue);
      if (seen != null && System.nanoTime() - seen.readAt < FRESH_NANOS) {
        return CompletableFuture.completedFuture(Optional.of(seen.hall));
      }
      answer = asking.get(queue);
      if (answer == null && asking.size() < MAX_ASKING) {
        answer = new CompletableFuture<>();
        asking.put(queue, answer);
        isOurs = true;
      }
    }
    if (answer == null) {
      answer =
          CompletableFuture.failedFuture(
              new QueueUnavailable(
                  QueueUnavailable.Kind.OVERLOADED, "too many queues are being looked up"));
    }
    if (isOurs) {
      ask(queue, answer);
    }
    return seen == null ? answer : orAsItWas(answer, Optional.of(seen.hall));
  }

  private void ask(QueueId queue, CompletableFuture<Optional<Hall>> answer) {
    queues
        .find(queue)
        .whenComplete(
            (found, failure) -> {
              Optional<Hall> hall = Optional.empty();
              synchronized (this) {
                asking.remove(queue);
                if (failure == null) {
                  hall = found.map(this::keep);
                  if (hall.isEmpty()) {
                    halls.remove(queue);
                  }
                }
              }
              if (failure == null) {
                answer.complete(hall);
              } else {
                answer.completeExceptionally(failure);
              }
            });
  }

  private Hall keep(Overview found) {
    QueueId queue = found.queue().id();
    @Nullable Seen before = halls.get(queue);
    // The same hall again has its pages already.
    Hall hall =
        before != null && before.hall.settings().equals(found.queue().settings())
            ? before.hall.in(found.queue().state())
            : new Hall(queue, found.queue().settings(), found.queue().state());
    halls.put(queue, new Seen(hall, System.nanoTime()));
    if (halls.size() > MAX_HALLS) {
      halls.remove(halls.keySet().iterator().next());
    }
    return hall;
  }

  private static CompletionStage<Optional<Hall>> orAsItWas(
      CompletableFuture<Optional<Hall>> answer, Optional<Hall> before) {
    return answer
        .copy()
        .completeOnTimeout(before, PATIENCE_MILLIS, TimeUnit.MILLISECONDS)
        .exceptionally(_ -> before);
  }
}
