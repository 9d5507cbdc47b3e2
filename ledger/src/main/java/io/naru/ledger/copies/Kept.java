package io.naru.ledger.copies;

import io.naru.line.Change;
import io.naru.line.CopyState;
import io.naru.line.Original;
import java.util.ArrayDeque;
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

  /** How often building it anew has failed since it was last healed, and why. */
  int failures;

  volatile @Nullable String failure;

  /** Before that it is not tried again. */
  long retryAt;

  /** What was committed here since a healer began to read what is missing; null if none does. */
  private @Nullable ArrayDeque<Change> meanwhile;

  private int factsMeanwhile;

  Kept(Original of) {
    this.of = of;
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
   * never catch up with a writer that commits more often than one can read.
   */
  synchronized @Nullable Change nextAfter(CopyState state) {
    if (!(state instanceof CopyState.At(long at)) || meanwhile == null) {
      return null;
    }
    while (!meanwhile.isEmpty() && meanwhile.getFirst().to() <= at) {
      meanwhile.remove();
    }
    if (meanwhile.isEmpty()) {
      isFollowing = at == committed;
      return null;
    }
    return meanwhile.getFirst().from() == at ? meanwhile.remove() : null;
  }
}
