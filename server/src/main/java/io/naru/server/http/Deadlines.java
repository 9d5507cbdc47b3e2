package io.naru.server.http;

import io.vertx.core.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Requests that wait for their answer. Whatever a handler waits for has a limit of its own, but
 * limits in a row add up: here is the one that holds for all of them together.
 *
 * <p>A timer for each request would cost more than most answers; those that are open are looked at
 * ten times a second instead, each on its own event loop.
 */
final class Deadlines {

  static final long SWEEP_MILLIS = 100;

  private final Duration limit;
  private final Map<Thread, Loop> loops = new ConcurrentHashMap<>();

  /** The requests of one event loop, on which all of it happens. */
  private record Loop(Context context, List<Exchange> open) {}

  Deadlines(Duration limit) {
    this.limit = limit;
  }

  /** A handler has begun; it may have answered already. */
  void begun(Exchange exchange, Context context) {
    if (!exchange.hasBegunToAnswer()) {
      loops
          .computeIfAbsent(Thread.currentThread(), _ -> new Loop(context, new ArrayList<>()))
          .open
          .add(exchange);
    }
  }

  void sweep() {
    for (Loop loop : loops.values()) {
      loop.context.runOnContext(_ -> loop.open.removeIf(this::isSettled));
    }
  }

  private boolean isSettled(Exchange exchange) {
    if (exchange.hasBegunToAnswer()) {
      return true;
    }
    Duration patience = exchange.patience(limit);
    boolean isLate = System.nanoTime() - exchange.askedAt() > patience.toNanos();
    if (isLate) {
      exchange.tooLate(patience);
    }
    return isLate;
  }
}
