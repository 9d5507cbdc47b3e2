package io.naru.server.console;

import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import io.naru.server.entry.Problems;
import io.naru.server.http.Exchange;
import io.naru.server.http.Problem;
import io.vertx.core.Vertx;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * {@code GET /admin/queues/{type}/{id}/live}: the figures of a queue, new every second. However
 * many consoles watch, a queue is read once a second by this server, and not at all when nobody
 * does.
 */
public final class Live {

  /** More people than watch a sale; fewer than would be felt. */
  static final int MAX_WATCHERS = 200;

  private static final long BEAT_MILLIS = 1_000;

  private static final Problem TOO_MANY =
      Problem.of(
          503,
          "too-many-consoles",
          "Too many consoles",
          "no further console can be told the figures by this server now; ask for the queue"
              + " instead");

  private final Queues queues;
  private final FiguresJson json;
  private final Predicate<Exchange> mayWatch;
  private final Map<QueueId, Watched> watched = new ConcurrentHashMap<>();
  private final AtomicInteger open = new AtomicInteger();
  private volatile boolean isStopping;

  /**
   * @param mayWatch whether whoever asked may still see the queue that the path names
   */
  public Live(Queues queues, FiguresJson json, Predicate<Exchange> mayWatch) {
    this.queues = queues;
    this.json = json;
    this.mayWatch = mayWatch;
  }

  public void start(Vertx vertx) {
    vertx.setPeriodic(BEAT_MILLIS, _ -> beat());
  }

  private void beat() {
    for (QueueId queue : watched.keySet()) {
      Watched one = watched.computeIfPresent(queue, (_, known) -> known.isWatched() ? known : null);
      if (one != null) {
        one.beat();
      }
    }
  }

  public void handle(Exchange exchange) {
    QueueId queue = exchange.queue();
    if (open.incrementAndGet() > MAX_WATCHERS || isStopping) {
      open.decrementAndGet();
      exchange.problem(TOO_MANY.retryAfter(ThreadLocalRandom.current().nextLong(3, 9)));
      return;
    }
    var watcher =
        new Watcher(
            exchange,
            Objects.requireNonNull(Vertx.currentContext()),
            mayWatch,
            gone -> left(queue, gone));
    Watched one =
        Objects.requireNonNull(
            watched.compute(
                queue,
                (_, known) ->
                    (known == null ? new Watched(queue, queues, json) : known).with(watcher)));
    // However it ends: a problem, a queue that goes, a lost connection.
    exchange.response().endHandler(_ -> watcher.over());
    exchange.response().closeHandler(_ -> watcher.over());
    exchange.then(
        one.latest(),
        message ->
            message.ifPresentOrElse(
                watcher::begin, () -> exchange.problem(Problems.QUEUE_NOT_FOUND)));
  }

  private void left(QueueId queue, Watcher gone) {
    open.decrementAndGet();
    Watched one = watched.get(queue);
    if (one != null) {
      one.remove(gone);
    }
  }

  /** Tells every console to come back; no new one is taken. */
  public void stop() {
    isStopping = true;
    watched.values().forEach(one -> one.watchers().forEach(Watcher::stop));
  }
}
