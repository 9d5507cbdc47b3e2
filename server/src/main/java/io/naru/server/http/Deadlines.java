package io.naru.server.http;

import io.vertx.core.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Requests that wait for their answer. Whatever a handler waits for has a limit of its own, but
 * limits in a row add up: here is the one that holds for all of them together.
 *
 * <p>A timer for each request would cost more than most answers; those that are open are looked at
 * ten times a second instead, each on its own event loop. Whatever is answered until then is let go
 * at once: else all that came in a tenth of a second would outlive the next garbage collection.
 */
final class Deadlines {

  static final long SWEEP_MILLIS = 100;

  private final Duration limit;
  private final Map<Thread, Loop> loops = new ConcurrentHashMap<>();

  /** The requests of one event loop, on which all of it happens. */
  private record Loop(Context context, List<Open> open) {}

  /** A request, until it is answered. */
  static final class Open {
    private @Nullable Exchange exchange;

    private Open(Exchange exchange) {
      this.exchange = exchange;
    }

    void answered() {
      exchange = null;
    }
  }

  Deadlines(Duration limit) {
    this.limit = limit;
  }

  /** A handler has begun; it may have answered already. */
  void begun(Exchange exchange, Context context) {
    if (!exchange.hasBegunToAnswer()) {
      var open = new Open(exchange);
      exchange.waits(open);
      loops
          .computeIfAbsent(Thread.currentThread(), _ -> new Loop(context, new ArrayList<>()))
          .open
          .add(open);
    }
  }

  void sweep() {
    for (Loop loop : loops.values()) {
      loop.context.runOnContext(_ -> sweep(loop.open));
    }
  }

  private void sweep(List<Open> all) {
    List<Exchange> late = new ArrayList<>();
    all.removeIf(open -> isSettled(open, late));
    // Not before: an answer hands over the next request of its connection, which is open then.
    late.forEach(exchange -> exchange.tooLate(exchange.patience(limit)));
  }

  private boolean isSettled(Open open, List<Exchange> late) {
    Exchange exchange = open.exchange;
    if (exchange == null || exchange.hasBegunToAnswer()) {
      return true;
    }
    long waited = System.nanoTime() - exchange.askedAt();
    return waited > exchange.patience(limit).toNanos() && late.add(exchange);
  }
}
