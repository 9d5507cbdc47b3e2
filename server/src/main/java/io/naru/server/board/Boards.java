package io.naru.server.board;

import io.naru.queue.Overview;
import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import io.naru.queue.Queues;
import io.naru.server.content.Content;
import io.naru.server.entry.Pauses;
import io.naru.server.entry.Problems;
import io.naru.server.http.Exchange;
import io.vertx.core.http.HttpHeaders;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET /queue/{type}/{id}/board}, the same bytes for everybody, prepared at most once a
 * second per queue. Some are kept, the last ones; one that is being prepared is waited for by all
 * who ask.
 */
public final class Boards {

  private static final int MAX_KEPT = 256;
  private static final int MAX_ASKING = 64;
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final CharSequence FOR_A_SECOND = HttpHeaders.createOptimized("public, max-age=1");

  private final Queues queues;
  private final Pauses pauses;
  private final Map<QueueId, Kept> kept = new LinkedHashMap<>(16, 0.75f, true);
  private int asking;

  /** A board, or the wait for it. */
  private static final class Kept {
    final CompletableFuture<Optional<Content>> board = new CompletableFuture<>();
    final long askedAt = System.nanoTime();

    boolean isFresh() {
      return !board.isDone() || System.nanoTime() - askedAt < FRESH_NANOS;
    }
  }

  public Boards(Queues queues, Pauses pauses) {
    this.queues = queues;
    this.pauses = pauses;
  }

  public void handle(Exchange exchange) {
    exchange.then(
        find(exchange.queue()),
        found ->
            found.ifPresentOrElse(
                board -> {
                  exchange.response().putHeader(HttpHeaders.CACHE_CONTROL, FOR_A_SECOND);
                  board.send(exchange, 200);
                },
                () -> exchange.problem(Problems.QUEUE_NOT_FOUND)));
  }

  private CompletionStage<Optional<Content>> find(QueueId queue) {
    Kept asked;
    synchronized (this) {
      Kept known = kept.get(queue);
      if (known != null && known.isFresh()) {
        return known.board;
      }
      if (asking >= MAX_ASKING) {
        return CompletableFuture.failedStage(
            new QueueUnavailable(
                QueueUnavailable.Kind.OVERLOADED, "too many queues are being looked up"));
      }
      asking++;
      asked = new Kept();
      kept.put(queue, asked);
      if (kept.size() > MAX_KEPT) {
        kept.remove(kept.keySet().iterator().next());
      }
    }
    queues.find(queue).whenComplete((found, failure) -> answered(queue, asked, found, failure));
    return asked.board;
  }

  private void answered(
      QueueId queue, Kept asked, Optional<Overview> found, @Nullable Throwable failure) {
    synchronized (this) {
      asking--;
      if (failure != null || found.isEmpty()) {
        kept.remove(queue, asked);
      }
    }
    if (failure == null) {
      asked.board.complete(found.map(this::content));
    } else {
      asked.board.completeExceptionally(failure);
    }
  }

  private Content content(Overview overview) {
    QueueId queue = overview.queue().id();
    return new Content("application/json", BoardJson.of(queue, overview.line(), pauses).getBytes());
  }
}
