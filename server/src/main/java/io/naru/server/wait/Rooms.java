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
 * The rooms of this server's queues, kept so that a page costs the store at most one question per
 * queue and second, and is there while the store is not. Only queues that exist are kept, and only
 * so many; questions under way are bounded, so names that somebody makes up fill nothing.
 */
final class Rooms {

  private static final int MAX_ROOMS = 256;
  private static final int MAX_ASKING = 64;
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** How long somebody waits for what is new, if there is something older to show. */
  private static final long PATIENCE_MILLIS = 250;

  private final Queues queues;
  private final Map<QueueId, CompletableFuture<Optional<Room>>> asking = new HashMap<>();
  private final Map<QueueId, Kept> rooms = new LinkedHashMap<>(16, 0.75f, true);

  private record Kept(Room room, long readAt) {}

  Rooms(Queues queues) {
    this.queues = queues;
  }

  /** The room of a queue; empty if there is no such queue. Fails only if it was never seen. */
  CompletionStage<Optional<Room>> find(QueueId queue) {
    Kept kept;
    CompletableFuture<Optional<Room>> answer;
    boolean isOurs = false;
    synchronized (this) {
      kept = rooms.get(queue);
      if (kept != null && System.nanoTime() - kept.readAt < FRESH_NANOS) {
        return CompletableFuture.completedFuture(Optional.of(kept.room));
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
    return kept == null ? answer : orAsItWas(answer, Optional.of(kept.room));
  }

  private void ask(QueueId queue, CompletableFuture<Optional<Room>> answer) {
    queues
        .find(queue)
        .whenComplete(
            (found, failure) -> {
              Optional<Room> room = Optional.empty();
              synchronized (this) {
                asking.remove(queue);
                if (failure == null) {
                  room = found.map(this::keep);
                  if (room.isEmpty()) {
                    rooms.remove(queue);
                  }
                }
              }
              if (failure == null) {
                answer.complete(room);
              } else {
                answer.completeExceptionally(failure);
              }
            });
  }

  private Room keep(Overview found) {
    QueueId queue = found.queue().id();
    @Nullable Kept before = rooms.get(queue);
    // The same room again has its pages already.
    Room room =
        before != null && before.room.settings().equals(found.queue().settings())
            ? before.room
            : new Room(queue, found.queue().settings());
    rooms.put(queue, new Kept(room, System.nanoTime()));
    if (rooms.size() > MAX_ROOMS) {
      rooms.remove(rooms.keySet().iterator().next());
    }
    return room;
  }

  private static CompletionStage<Optional<Room>> orAsItWas(
      CompletableFuture<Optional<Room>> answer, Optional<Room> before) {
    return answer
        .copy()
        .completeOnTimeout(before, PATIENCE_MILLIS, TimeUnit.MILLISECONDS)
        .exceptionally(_ -> before);
  }
}
