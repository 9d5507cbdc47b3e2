package io.naru.ledger.copies;

import io.naru.line.Change;
import io.naru.line.CopyState;
import io.naru.line.Original;
import java.util.ArrayDeque;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** What this server knows of one copy. */
final class Kept {
  final Original of;

  /** The highest change that the ledger is known to have reached. */
  long committed;

  /** What {@link #committed} was one heartbeat ago. */
  long committedBefore = -1;

  boolean isHealing;

  /** Whether the copy is known to be where the ledger is, so that it may be read. */
  volatile boolean isFollowing;

  /** The highest change that anybody was shown. */
  final AtomicLong shown = new AtomicLong();

  volatile @Nullable String frozen;

  /** Whether the ledger seems to be at a change that it had left behind. */
  volatile boolean isBehindItself;

  /** Whether the ledger lacks what was committed here, however far it is. */
  volatile boolean hasLostOwn;

  /** What the ledger was found to have lost when the queue was locked last. */
  volatile @Nullable String lost;

  /** How often building it anew has failed since it was last healed. */
  int failures;

  /** Why it was not healed when that was last tried. */
  volatile @Nullable String failure;

  /** Before that it is not tried again. */
  long retryAt;

  /** What was committed here since a healer began to read what is missing; null if none does. */
  private @Nullable ArrayDeque<Change> meanwhile;

  private int factsMeanwhile;

  /** What was committed here while a copy of one's own lacks what others committed before it. */
  private final TreeMap<Long, Change> aside = new TreeMap<>();

  private int factsAside;

  /** Whether anybody was in the queue when it was last looked at. */
  volatile boolean isBusy;

  Kept(Original of) {
    this.of = of;
  }

  /**
   * Whether the copy is asked from now on. That of a frozen queue always is: it would not be
   * healed, and what people were told is nowhere else.
   */
  synchronized void follows(boolean does) {
    isFollowing = does || frozen != null || hasLostOwn;
  }

  /**
   * The ledger was read at a change that it had left behind: a standby says so, an old primary, or
   * one that lost commits. Which of them, is said for certain under the queue's lock only; until
   * then the copy stays as it is, and is asked.
   */
  synchronized void isBehindItself(long seen) {
    reached(seen);
    isBehindItself = true;
    isFollowing = true;
  }

  /** What was committed here is in the line, and not in the ledger. */
  synchronized void hasLostOwn() {
    hasLostOwn = true;
    isFollowing = true;
  }

  boolean isInDoubt() {
    return frozen != null || isBehindItself || hasLostOwn;
  }

  synchronized long committed() {
    return committed;
  }

  synchronized void reached(long change) {
    committed = Math.max(committed, change);
  }

  /** A commit of this server; says whether the copy is where it began. */
  synchronized boolean committed(Change change) {
    reached(change.to());
    if (change.from() == 0) {
      // A new queue: there is nothing to catch up with.
      isFollowing = true;
    }
    if (!isFollowing && meanwhile != null) {
      meanwhile.add(change);
      factsMeanwhile += change.facts().size();
      if (factsMeanwhile > Keeper.MAX_JUMP) {
        meanwhile = null;
      }
    }
    return isFollowing;
  }

  /** Somebody is told of this change. */
  void show(long change) {
    shown.accumulateAndGet(change, Math::max);
  }

  /** Bounded: what does not fit is read with the rest. */
  synchronized void setAside(Change change) {
    if (factsAside + change.facts().size() > Keeper.MAX_JUMP) {
      aside.clear();
      factsAside = 0;
    }
    aside.put(change.from(), change);
    factsAside += change.facts().size();
  }

  /** The one that leads on from there; those that are over are forgotten. */
  synchronized @Nullable Change setAsideFrom(long at) {
    while (!aside.isEmpty() && aside.firstKey() < at) {
      factsAside -= aside.pollFirstEntry().getValue().facts().size();
    }
    Change next = aside.remove(at);
    factsAside -= next == null ? 0 : next.facts().size();
    return next;
  }

  synchronized void listen() {
    meanwhile = new ArrayDeque<>();
    factsMeanwhile = 0;
  }

  synchronized void stopListening() {
    meanwhile = null;
  }

  /**
   * What this server committed on top of where the copy is now. If there is nothing left, the copy
   * is followed again: whoever commits from then on applies by itself. Without this a copy would
   * never catch up with a writer that commits more often than one can read. A copy of one's own
   * need not have what others committed meanwhile: it follows.
   */
  synchronized @Nullable Change nextAfter(CopyState state, boolean isOwn) {
    if (!(state instanceof CopyState.At(long at)) || meanwhile == null) {
      return null;
    }
    while (!meanwhile.isEmpty() && meanwhile.getFirst().to() <= at) {
      meanwhile.remove();
    }
    if (meanwhile.isEmpty()) {
      follows(isOwn || at == committed);
      return null;
    }
    return meanwhile.getFirst().from() == at ? meanwhile.remove() : null;
  }
}
