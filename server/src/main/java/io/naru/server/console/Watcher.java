package io.naru.server.console;

import io.naru.server.http.Exchange;
import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * One open stream of a console. What its reader does not take is left out: the next second brings
 * newer figures.
 */
final class Watcher {

  private static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final int MAX_UNSENT = 16_384;

  private static final Buffer RETRY = Buffer.buffer("retry: 2000\n\n");
  private static final Buffer AWAY = Buffer.buffer("event: away\ndata: {}\n\n");
  private static final Buffer GONE = Buffer.buffer("event: gone\ndata: {}\n\n");
  private static final Buffer SIGNED_OUT = Buffer.buffer("event: signed-out\ndata: {}\n\n");
  private static final Buffer STOPPING = Buffer.buffer("event: stopping\ndata: {}\n\n");

  private final Exchange exchange;
  private final Context context;
  private final Predicate<Exchange> mayWatch;
  private final Consumer<Watcher> whenOver;
  private final AtomicBoolean isOver = new AtomicBoolean();
  private long fullSince;

  /**
   * @param mayWatch whether whoever opened it may still see the queue
   */
  Watcher(
      Exchange exchange,
      Context context,
      Predicate<Exchange> mayWatch,
      Consumer<Watcher> whenOver) {
    this.exchange = exchange;
    this.context = context;
    this.mayWatch = mayWatch;
    this.whenOver = whenOver;
  }

  void begin(Buffer first) {
    HttpServerResponse response = exchange.response();
    response
        .setChunked(true)
        .setWriteQueueMaxSize(MAX_UNSENT)
        .putHeader(HttpHeaders.CONTENT_TYPE, "text/event-stream")
        .putHeader(HttpHeaders.CACHE_CONTROL, "no-store")
        // Proxies hold event streams back by default; seconds would then come in clumps.
        .putHeader("X-Accel-Buffering", "no");
    response.exceptionHandler(_ -> over());
    var _ = response.write(RETRY.copy().appendBuffer(first));
  }

  /** Ends the stream if its reader may no longer see the queue. */
  void check() {
    if (!mayWatch.test(exchange)) {
      end(SIGNED_OUT);
    }
  }

  void send(Buffer message) {
    context.runOnContext(_ -> write(message));
  }

  /** Nothing could be read. */
  void away() {
    send(AWAY);
  }

  /** There is no such queue any more. */
  void gone() {
    end(GONE);
  }

  void stop() {
    end(STOPPING);
  }

  private void write(Buffer message) {
    HttpServerResponse response = exchange.response();
    if (isOver.get() || !response.headWritten() || response.ended() || response.closed()) {
      return;
    }
    if (!response.writeQueueFull()) {
      fullSince = 0;
      // A copy that shares the bytes: sending moves its reading mark.
      var _ = response.write(message.slice());
    } else if (fullSince == 0) {
      fullSince = System.nanoTime();
    } else if (System.nanoTime() - fullSince > SLOW_NANOS) {
      over();
      var _ = response.reset();
    }
  }

  private void end(Buffer last) {
    if (over()) {
      context.runOnContext(
          _ -> {
            HttpServerResponse response = exchange.response();
            if (response.headWritten() && !response.ended() && !response.closed()) {
              var _ = response.end(last.slice());
            }
          });
    }
  }

  /** Returns whether it was not over before. */
  boolean over() {
    boolean isFirst = isOver.compareAndSet(false, true);
    if (isFirst) {
      whenOver.accept(this);
    }
    return isFirst;
  }
}
