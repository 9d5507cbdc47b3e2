package io.naru.ledger;

import io.naru.queue.QueueId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What waits for the writer, by queue; the queues take turns. Quiet ones share a transaction. A
 * busy one has its own, so that its lock, for which other servers wait, is not held while others
 * are served, and so has one in which a transaction failed, until one works: whatever is wrong with
 * it, the others do not fail with it.
 *
 * <p>Guarded by the writer's lock.
 */
final class Backlog {

  static final int MAX_BATCH = 1_024;

  /** More would save little: a commit costs about as much as the statements for three queues. */
  static final int MAX_SHARING = 16;

  /** From so many requests on a queue is busy. */
  static final int BUSY = 32;

  private static final int MAX_SIZE = 65_536;

  /** However many want into one queue, there is room for those of others. */
  private static final int MAX_OF_ONE = MAX_SIZE / 4 * 3;

  private final LinkedHashMap<QueueId, ArrayDeque<Pending<?>>> turns = new LinkedHashMap<>();
  private final Set<QueueId> suspects = new HashSet<>();
  private int size;

  boolean isEmpty() {
    return size == 0;
  }

  /** Takes a request in; false if too many wait already. */
  boolean add(Pending<?> pending) {
    if (size >= MAX_SIZE || of(pending.queue()).size() >= MAX_OF_ONE) {
      return false;
    }
    turns.computeIfAbsent(pending.queue(), _ -> new ArrayDeque<>()).add(pending);
    size++;
    return true;
  }

  /** The next transaction's requests: those of one queue, or of several quiet ones. */
  List<Pending<?>> next() {
    List<Pending<?>> batch = new ArrayList<>();
    List<QueueId> served = new ArrayList<>();
    for (QueueId queue : turns.keySet()) {
      boolean isAlone = isAlone(queue);
      if (isAlone && !served.isEmpty()) {
        continue;
      }
      served.add(queue);
      take(queue, false, batch);
      if (isAlone || served.size() == MAX_SHARING || batch.size() == MAX_BATCH) {
        break;
      }
    }
    served.forEach(this::endTurn);
    return batch;
  }

  /** What has come in since for queues that are locked by now; a queue that is busy has its own. */
  List<Pending<?>> more(Set<QueueId> locked, List<Pending<?>> batch) {
    Set<QueueId> admitting = new HashSet<>();
    batch.stream().filter(Pending::isAdmission).forEach(p -> admitting.add(p.queue()));
    List<Pending<?>> more = new ArrayList<>();
    List<Pending<?>> all = new ArrayList<>(batch);
    for (QueueId queue : locked) {
      if (turns.containsKey(queue) && (locked.size() == 1 || !isAlone(queue))) {
        int before = all.size();
        take(queue, admitting.contains(queue), all);
        more.addAll(all.subList(before, all.size()));
        endTurn(queue);
      }
    }
    return more;
  }

  private boolean isAlone(QueueId queue) {
    return suspects.contains(queue) || of(queue).size() >= BUSY;
  }

  private ArrayDeque<Pending<?>> of(QueueId queue) {
    return turns.getOrDefault(queue, new ArrayDeque<>());
  }

  /** At most one admission at a time; others wait for the next transaction. */
  private void take(QueueId queue, boolean isAdmitting, List<Pending<?>> batch) {
    ArrayDeque<Pending<?>> of = of(queue);
    boolean hasAdmission = isAdmitting;
    List<Pending<?>> kept = new ArrayList<>();
    while (!of.isEmpty() && batch.size() < MAX_BATCH) {
      Pending<?> next = of.remove();
      if (next.isAdmission() && hasAdmission) {
        kept.add(next);
      } else {
        hasAdmission |= next.isAdmission();
        batch.add(next);
        size--;
      }
    }
    kept.reversed().forEach(of::addFirst);
  }

  /** Whoever was served goes to the end; who has nothing more to ask, goes. */
  private void endTurn(QueueId queue) {
    ArrayDeque<Pending<?>> rest = turns.remove(queue);
    if (rest != null && !rest.isEmpty()) {
      turns.putLast(queue, rest);
    }
  }

  /** These were part of a transaction that failed, each queue by itself from now on. */
  void putBack(List<Pending<?>> batch) {
    for (Pending<?> pending : batch.reversed()) {
      suspect(pending.queue());
      if (!pending.answer().isDone()) {
        ArrayDeque<Pending<?>> of = of(pending.queue());
        of.addFirst(pending);
        turns.putFirst(pending.queue(), of);
        size++;
      }
    }
  }

  void suspect(QueueId queue) {
    suspects.add(queue);
  }

  boolean isSuspect(QueueId queue) {
    return suspects.contains(queue);
  }

  /** Their transaction worked. */
  void acquit(Collection<QueueId> queues) {
    suspects.removeAll(queues);
  }

  /** Takes out those who have waited since before then. */
  List<Pending<?>> late(long before) {
    List<Pending<?>> late = new ArrayList<>();
    Iterator<Map.Entry<QueueId, ArrayDeque<Pending<?>>>> all = turns.entrySet().iterator();
    while (all.hasNext()) {
      ArrayDeque<Pending<?>> of = all.next().getValue();
      while (!of.isEmpty() && of.element().since() - before < 0) {
        late.add(of.remove());
        size--;
      }
      if (of.isEmpty()) {
        all.remove();
      }
    }
    return late;
  }

  /** Takes everything out. */
  List<Pending<?>> clear() {
    List<Pending<?>> all = new ArrayList<>();
    turns.values().forEach(all::addAll);
    turns.clear();
    size = 0;
    return all;
  }
}
