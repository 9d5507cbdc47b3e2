package io.naru.server.stream;

import io.naru.line.Line;
import io.naru.line.Moved;
import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import io.naru.server.entry.Outlook;
import io.vertx.core.Context;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows one queue for all who watch it on this server: one question per beat, whatever their
 * number, and the answer goes to the viewers of every event loop.
 */
final class Follower {

  private static final Logger log = LoggerFactory.getLogger(Follower.class);

  private static final long UNKNOWN = -1;

  /** A line that stays older for so many beats does not come back; its viewers ask again. */
  private static final int PATIENCE_BEATS = 8;

  private final QueueId queue;
  private final Line line;
  private final Outlook outlook;
  private final StreamCounts counts;
  private final Map<Thread, Watch> watches = new ConcurrentHashMap<>();
  private final AtomicInteger viewers = new AtomicInteger();
  private final AtomicBoolean isAsking = new AtomicBoolean();

  /** The change from which on the next question is asked. */
  private final AtomicLong at = new AtomicLong(UNKNOWN);

  private int olderBeats;

  Follower(QueueId queue, Line line, Outlook outlook, StreamCounts counts) {
    this.queue = queue;
    this.line = line;
    this.outlook = outlook;
    this.counts = counts;
  }

  void count(int more) {
    viewers.addAndGet(more);
  }

  int viewers() {
    return viewers.get();
  }

  boolean isWatched() {
    return viewers() > 0;
  }

  /** The watch of the event loop that this is called on. */
  Watch watch(Context context) {
    return watches.computeIfAbsent(
        Thread.currentThread(),
        _ ->
            new Watch(
                context,
                line,
                new BoardNews(queue, outlook),
                change -> at.compareAndSet(UNKNOWN, change),
                counts));
  }

  Collection<Watch> watches() {
    return watches.values();
  }

  void beat() {
    long since = at.get();
    if (since == UNKNOWN || !isAsking.compareAndSet(false, true)) {
      // Nobody to ask for yet, or no answer yet; streams are kept alive all the same.
      tell(null);
      return;
    }
    line.since(queue, since)
        .whenComplete(
            (moved, failure) -> {
              Moved known = failure == null ? patient(moved, since) : unanswered(failure);
              isAsking.set(false);
              tell(known);
            });
  }

  private Moved patient(Moved moved, long since) {
    olderBeats = moved instanceof Moved.Older ? olderBeats + 1 : 0;
    Moved known = olderBeats >= PATIENCE_BEATS ? new Moved.Gap() : moved;
    switch (known) {
      case Moved.Steps(var state, var _) -> at.compareAndSet(since, state.change());
      case Moved.Gap _ -> at.set(UNKNOWN);
      case Moved.Older _ -> {}
    }
    return known;
  }

  private @Nullable Moved unanswered(Throwable failure) {
    if (!(failure instanceof QueueUnavailable)
        && !(failure.getCause() instanceof QueueUnavailable)) {
      log.warn("the moves of {} cannot be read", queue, failure);
    }
    return null;
  }

  private void tell(@Nullable Moved moved) {
    watches.values().forEach(watch -> watch.beat(moved));
  }
}
