package io.naru.server.wait;

import io.naru.queue.Overview;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import io.naru.server.content.Glances;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** The halls of this server's queues: a page is there also while the store is not. */
final class Halls {

  /** How long somebody waits for what is new, if there is something older to show. */
  private static final long PATIENCE_MILLIS = 250;

  private final Glances<QueueId, Hall> halls;

  Halls(Queues queues) {
    halls =
        new Glances<>(
            (queue, before) ->
                queues.find(queue).thenApply(found -> found.map(seen -> hall(seen, before))));
  }

  /** The hall of a queue; empty if there is no such queue. Fails only if it was never seen. */
  CompletionStage<Optional<Hall>> find(QueueId queue) {
    Optional<Hall> before = halls.last(queue);
    CompletionStage<Optional<Hall>> answer = halls.find(queue);
    return before.isEmpty()
        ? answer
        : answer
            .toCompletableFuture()
            .copy()
            .completeOnTimeout(before, PATIENCE_MILLIS, TimeUnit.MILLISECONDS)
            .exceptionally(_ -> before);
  }

  /** The same hall again has its pages already. */
  private static Hall hall(Overview found, Optional<Hall> before) {
    return before
        .filter(hall -> hall.settings().equals(found.queue().settings()))
        .map(hall -> hall.in(found.queue().state()))
        .orElseGet(
            () -> new Hall(found.queue().id(), found.queue().settings(), found.queue().state()));
  }
}
