package io.naru.server.doors;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.naru.queue.Doors;
import io.naru.queue.QueueId;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The doors of queues that have some; those that few come to, or that are gone, are forgotten. */
final class KnownDoors {

  private static final int MAX_KEPT = 10_000;

  private final Cache<QueueId, Doors> known = Caffeine.newBuilder().maximumSize(MAX_KEPT).build();

  @Nullable Doors of(QueueId queue) {
    return known.getIfPresent(queue);
  }

  void learn(QueueId queue, Optional<Doors> doors) {
    if (doors.isEmpty()) {
      known.invalidate(queue);
    } else {
      known.put(queue, doors.get());
    }
  }
}
