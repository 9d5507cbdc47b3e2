package io.naru.memory;

import io.naru.journal.Feed;
import io.naru.journal.Happened;
import io.naru.journal.Unread;
import io.naru.queue.QueueId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongSupplier;

/** What readers have yet to read of queues in memory, also of those that are no more. */
final class MemoryFeed implements Feed {

  /** The bound of a ledger would be too much for a memory. */
  private static final Bounds BOUNDS = new Bounds(100_000, Bounds.DEFAULT.age());

  private final LongSupplier clock;
  private final TreeSet<String> readers = new TreeSet<>();
  private final TreeMap<Long, Told> queues = new TreeMap<>();
  private volatile boolean hasReaders;
  private Bounds bounds = BOUNDS;

  /** All of one queue. */
  private static final class Told {
    final QueueId queue;
    final TreeMap<Long, Happened> changes = new TreeMap<>();
    final Map<String, Long> cursors = new HashMap<>();
    long goneTo;
    long head;
    boolean isOver;

    Told(QueueId queue) {
      this.queue = queue;
    }

    long cursor(String reader) {
      return cursors.getOrDefault(reader, 0L);
    }
  }

  MemoryFeed(LongSupplier clock) {
    this.clock = clock;
  }

  /** How much is kept for who stays away; never more than a memory can bear. */
  synchronized void bound(Bounds kept) {
    bounds = new Bounds(Math.min(kept.changes(), BOUNDS.changes()), kept.age());
  }

  /** Whether anybody reads. */
  boolean hasReaders() {
    return hasReaders;
  }

  /**
   * @param id of the queue
   * @param isLast whether the queue is no more
   */
  synchronized void note(long id, QueueId queue, Happened change, boolean isLast) {
    if (readers.isEmpty()) {
      return;
    }
    Told told = queues.computeIfAbsent(id, _ -> new Told(queue));
    told.changes.put(change.change(), change);
    told.head = change.change();
    told.isOver = isLast;
    while (isTooMuch(told)) {
      told.goneTo = told.changes.pollFirstEntry().getKey();
    }
  }

  /** The last one is always there, so that a gap is noticed. */
  private boolean isTooMuch(Told told) {
    long oldest = told.changes.firstEntry().getValue().at();
    return told.changes.size() > 1
        && (told.changes.firstKey() <= told.head - bounds.changes()
            || oldest < clock.getAsLong() - bounds.micros());
  }

  @Override
  public synchronized void listen(String reader) {
    if (readers.add(reader)) {
      queues.values().forEach(told -> told.cursors.put(reader, told.head));
    }
    hasReaders = true;
  }

  @Override
  public synchronized void end(String reader) {
    readers.remove(reader);
    queues.values().forEach(told -> told.cursors.remove(reader));
    queues.values().removeIf(this::isRead);
    hasReaders = !readers.isEmpty();
  }

  @Override
  public synchronized Set<String> readers() {
    return Set.copyOf(readers);
  }

  @Override
  public synchronized List<Unread> unread(String reader, int limit) {
    List<Unread> unread = new ArrayList<>();
    for (Map.Entry<Long, Told> entry : queues.entrySet()) {
      Told told = entry.getValue();
      long cursor = told.cursor(reader);
      if (told.head > cursor && unread.size() < limit && readers.contains(reader)) {
        unread.add(
            new Unread(
                entry.getKey(),
                told.queue,
                "memory/" + entry.getKey(),
                cursor,
                told.head,
                told.changes.higherEntry(cursor).getValue().at(),
                clock.getAsLong()));
      }
    }
    return unread;
  }

  @Override
  public synchronized Stretch happened(String reader, Unread of, long after, int limit) {
    Told told = queues.get(of.id());
    return told == null
        ? new Stretch(0, List.of())
        : new Stretch(
            told.goneTo,
            told.changes.tailMap(after, false).values().stream().limit(limit).toList());
  }

  @Override
  public synchronized Set<Unread> advance(String reader, Map<Unread, Long> to) {
    Set<Unread> advanced = new LinkedHashSet<>();
    to.forEach(
        (from, cursor) -> {
          Told told = queues.get(from.id());
          if (told != null && readers.contains(reader) && told.cursor(reader) == from.cursor()) {
            told.cursors.put(reader, cursor);
            advanced.add(from);
          }
        });
    queues.values().removeIf(this::isRead);
    return advanced;
  }

  /** There is one server only. */
  @Override
  public boolean hold(String work, String server, Duration time) {
    return true;
  }

  @Override
  public void letGo(String work, String server) {
    // Nobody else is there.
  }

  /** Forgets what all have read; whether nothing is left. A queue that goes on begins anew. */
  private boolean isRead(Told told) {
    long slowest = readers.stream().mapToLong(told::cursor).min().orElse(Long.MAX_VALUE);
    told.changes.headMap(slowest, true).clear();
    return readers.isEmpty() || (told.isOver && told.changes.isEmpty());
  }
}
