package io.naru.server.http;

import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The open connections, and which of them are not worth waiting for. An idle time-out does not see
 * those who send a byte now and then; whole requests count here.
 */
final class Connections {

  private final Map<HttpConnection, Open> all = new ConcurrentHashMap<>();
  private final Patience patience;

  /**
   * @param first how long the first head may take
   * @param next how long the next one, after an answer
   * @param answer how long we may take to answer: with the way to us and back, 3 seconds
   */
  record Patience(Duration first, Duration next, Duration answer) {
    static final Patience DEFAULT =
        new Patience(Duration.ofSeconds(10), Duration.ofSeconds(75), Duration.ofMillis(2_700));
  }

  /** One connection. Written on its own event loop, looked at by the sweep. */
  private static final class Open {
    private volatile long since = System.nanoTime();
    private volatile @Nullable HttpServerRequest last;
    private volatile boolean isClosing;
  }

  Connections(Patience patience) {
    this.patience = patience;
  }

  void opened(HttpConnection connection) {
    all.put(connection, new Open());
    connection.closeHandler(_ -> all.remove(connection));
  }

  /** Whether this request counts: behind one that was refused for good nothing is heard. */
  boolean asked(HttpServerRequest request) {
    Open open = all.get(request.connection());
    if (open == null || open.isClosing) {
      return open == null;
    }
    open.last = request;
    open.since = System.nanoTime();
    return true;
  }

  /** The answer under way is the last one. */
  void closing(HttpConnection connection) {
    Open open = all.get(connection);
    if (open != null) {
      open.isClosing = true;
    }
  }

  /** Closes those that have taken too long. */
  void sweep() {
    long now = System.nanoTime();
    all.forEach(
        (connection, open) -> {
          HttpServerRequest last = open.last;
          if (last != null && !last.response().ended()) {
            open.since = now;
          } else {
            Duration limit = last == null ? patience.first : patience.next;
            if (now - open.since > limit.toNanos()) {
              var _ = connection.close();
            }
          }
        });
  }
}
