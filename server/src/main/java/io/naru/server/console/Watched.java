package io.naru.server.console;

import io.naru.queue.Overview;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A queue that somebody watches: read once a second for all of them. */
final class Watched {

  /** A little less than the beat, which does not come by the nanosecond. */
  private static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(900);

  private final QueueId queue;
  private final Queues queues;
  private final FiguresJson json;
  private final Rates rates = new Rates();
  private final List<Watcher> watchers = new CopyOnWriteArrayList<>();
  private @Nullable CompletableFuture<Optional<Buffer>> reading;
  private long readAt;

  Watched(QueueId queue, Queues queues, FiguresJson json) {
    this.queue = queue;
    this.queues = queues;
    this.json = json;
  }

  boolean isWatched() {
    return !watchers.isEmpty();
  }

  Watched with(Watcher watcher) {
    watchers.add(watcher);
    return this;
  }

  void remove(Watcher watcher) {
    watchers.remove(watcher);
  }

  List<Watcher> watchers() {
    return watchers;
  }

  void beat() {
    watchers.forEach(Watcher::check);
    if (isWatched()) {
      latest();
    }
  }

  /**
   * The newest message there is: the one under way, or of less than a second ago, or a new one.
   * Empty if there is no such queue.
   */
  synchronized CompletionStage<Optional<Buffer>> latest() {
    long now = System.nanoTime();
    CompletableFuture<Optional<Buffer>> known = reading;
    if (known != null && (!known.isDone() || now - readAt < FRESH_NANOS)) {
      return known;
    }
    var next = new CompletableFuture<Optional<Buffer>>();
    reading = next;
    readAt = now;
    queues.find(queue).whenComplete((found, failure) -> read(next, now, found, failure));
    return next;
  }

  private void read(
      CompletableFuture<Optional<Buffer>> answer,
      long askedAt,
      Optional<Overview> found,
      @Nullable Throwable failure) {
    if (failure != null) {
      watchers.forEach(Watcher::away);
      answer.completeExceptionally(failure);
      return;
    }
    Optional<Buffer> message = found.map(overview -> message(overview, askedAt));
    message.ifPresentOrElse(
        m -> watchers.forEach(w -> w.send(m)), () -> watchers.forEach(Watcher::gone));
    answer.complete(message);
  }

  private synchronized Buffer message(Overview overview, long askedAt) {
    long now = System.nanoTime();
    rates.add(askedAt, overview.figures());
    return json.event(overview, rates.perSecond(), TimeUnit.NANOSECONDS.toMillis(now - askedAt));
  }
}
