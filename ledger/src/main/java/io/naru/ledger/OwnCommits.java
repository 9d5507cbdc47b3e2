package io.naru.ledger;

import io.naru.queue.QueueId;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What this server has committed. A database that takes over has all of it, or has lost commits,
 * however far others have gone in it since: the number of the last transaction of this server that
 * it knows says which.
 *
 * <p>Used by the writer's thread only.
 */
final class OwnCommits {

  /** Of more queues than that, those that were not changed for longest are not watched. */
  private static final int MOST = 100_000;

  /** The last transaction that changed a queue. */
  private final LinkedHashMap<QueueId, Long> last =
      new LinkedHashMap<>(16, 0.75f, /* accessOrder= */ true);

  /** Of which nobody knows whether they were committed: they may come late. */
  private final Set<Long> unknown = new HashSet<>();

  void committed(long number, List<QueueId> changed) {
    changed.forEach(queue -> last.put(queue, number));
    while (last.size() > MOST) {
      last.pollFirstEntry();
    }
  }

  void unknown(long number) {
    unknown.add(number);
  }

  /**
   * The queues that have lost commits, where this is the last that is known of them. They are not
   * watched any more.
   */
  List<QueueId> lost(long known) {
    if (unknown.contains(known)) {
      return List.of();
    }
    List<QueueId> lost =
        last.entrySet().stream()
            .filter(entry -> entry.getValue() > known)
            .map(Map.Entry::getKey)
            .toList();
    lost.forEach(last::remove);
    return lost;
  }
}
