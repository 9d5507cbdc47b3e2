package io.naru.memory;

import io.naru.journal.Addition;
import io.naru.journal.Behind;
import io.naru.journal.Bundle;
import io.naru.journal.HashTile;
import io.naru.journal.Journaled;
import io.naru.journal.Log;
import io.naru.queue.QueueId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The journal and the log of one queue. Not thread-safe: its queue's lock is held. */
final class MemoryLog {

  private final TreeMap<Long, Journaled> journal = new TreeMap<>();
  private final Map<TileKey, HashTile> tiles = new HashMap<>();
  private final TreeMap<Long, Bundle> bundles = new TreeMap<>();

  /** By the last who joined in each, the first such bundle. */
  private final TreeMap<Long, Long> byJoined = new TreeMap<>();

  private Log log;

  private record TileKey(int level, long number) {}

  MemoryLog(long id, QueueId queue, String original) {
    log = Log.empty(id, queue, original);
  }

  long id() {
    return log.id();
  }

  void note(Journaled change) {
    journal.put(change.change(), change);
  }

  Optional<Behind> behind(long now) {
    return journal.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Behind(log, journal.lastKey(), journal.firstEntry().getValue().at(), now));
  }

  List<Journaled> journal(long after, int limit) {
    return journal.tailMap(after, false).values().stream().limit(limit).toList();
  }

  boolean append(Log from, Addition addition, long now) {
    if (log.size() != from.size()
        || log.cursor() != from.cursor()
        || log.isHeldBefore(addition.holder(), now)) {
      return false;
    }
    addition.tiles().forEach(tile -> tiles.put(new TileKey(tile.level(), tile.number()), tile));
    for (Bundle bundle : addition.bundles()) {
      bundles.put(bundle.number(), bundle);
      byJoined.putIfAbsent(bundle.lastJoined(), bundle.number());
    }
    journal.headMap(addition.cursor(), true).clear();
    boolean isSigned = addition.checkpoint() != null;
    log =
        new Log(
            log.id(),
            log.queue(),
            log.original(),
            addition.origin(),
            addition.to(),
            addition.cursor(),
            addition.holder(),
            now + addition.holdMicros(),
            isSigned ? String.valueOf(addition.checkpoint()) : log.checkpoint(),
            isSigned ? addition.signedAt() : log.signedAt());
    return true;
  }

  Optional<Log> log() {
    return log.size() == 0 ? Optional.empty() : Optional.of(log);
  }

  Optional<HashTile> tile(int level, long number) {
    return Optional.ofNullable(tiles.get(new TileKey(level, number)));
  }

  Optional<Bundle> bundle(long number) {
    return Optional.ofNullable(bundles.get(number));
  }

  Optional<Bundle> bundleOf(long joined) {
    return Optional.ofNullable(byJoined.ceilingEntry(joined))
        .flatMap(first -> bundle(first.getValue()));
  }
}
