package io.naru.ledger;

import io.naru.line.Change;
import io.naru.line.CopyState;
import io.naru.line.LineCopy;
import io.naru.line.Original;
import io.naru.queue.QueueId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the copy of every queue up with the ledger. After its own commit a server applies that one
 * change; whenever the copy turns out to be anywhere else, it is healed: what is missing is read by
 * its number and applied in one jump, and a copy that is lost is built anew beside the old one.
 * Joins and admissions go on meanwhile; they never needed the copy.
 *
 * <p>A copy that is <em>ahead</em> of its ledger means that the ledger lost commits. Then nothing
 * is overwritten: the queue is frozen until an operator has looked.
 */
final class Keeper {

  private static final Logger log = LoggerFactory.getLogger(Keeper.class);

  /** A healer that has not succeeded after so many turns leaves it to the next heartbeat. */
  private static final int MAX_TURNS = 100;

  private static final long COPY_TIMEOUT_SECONDS = 5;

  private final LineCopy copy;
  private final Source source;
  private final Executor executor;
  private final Map<QueueId, Kept> kept = new ConcurrentHashMap<>();

  /** What the ledger can tell about a queue. Blocks. */
  interface Source {

    /** The ledger's own change of a queue; -1 if that queue is gone. */
    long changeOf(Original of) throws Exception;

    /** What a copy at {@code change} lacks; empty if only a new copy helps. */
    Optional<Change> since(Original of, long change) throws Exception;

    /** Reads everybody into a new copy and finishes it. */
    CopyState copy(Original of, LineCopy.Rebuild into) throws Exception;
  }

  /** What this server knows of one copy. */
  private static final class Kept {
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

    Kept(Original of) {
      this.of = of;
    }

    synchronized long committed() {
      return committed;
    }

    synchronized void reached(long change) {
      committed = Math.max(committed, change);
    }
  }

  Keeper(LineCopy copy, Source source, Executor executor) {
    this.copy = copy;
    this.source = source;
    this.executor = executor;
  }

  private Kept kept(Original of) {
    Kept known = kept.get(of.queue());
    if (known != null && known.of.equals(of)) {
      return known;
    }
    return Objects.requireNonNull(
        kept.compute(
            of.queue(),
            (_, present) -> present != null && present.of.equals(of) ? present : new Kept(of)));
  }

  /** Queues that are frozen, and copies that are not where the ledger is. */
  List<String> troubles() {
    List<String> all = new ArrayList<>();
    for (Kept known : kept.values()) {
      String frozen = known.frozen;
      if (frozen != null) {
        all.add(frozen);
      } else if (!known.isFollowing) {
        all.add("the copy of " + known.of.queue() + " is being healed");
      }
    }
    return all;
  }

  /**
   * The queues that are frozen, or will be if they are locked and looked at: the ledger was seen at
   * a change that it had left behind.
   */
  List<QueueId> inDoubt() {
    return kept.values().stream()
        .filter(known -> known.frozen != null || known.isBehindItself)
        .map(known -> known.of.queue())
        .toList();
  }

  /** The queue that goes by this name, if it is known here. */
  @Nullable Original original(QueueId queue) {
    Kept known = kept.get(queue);
    return known == null ? null : known.of;
  }

  /** Whether the copy may be asked. */
  boolean isFollowing(Original of) {
    Kept known = kept.get(of.queue());
    return known != null && known.isFollowing && known.of.equals(of);
  }

  /** Whether a place of this change may be shown: not if somebody was shown a later one. */
  boolean mayShow(Original of, long change) {
    AtomicLong shown = kept(of).shown;
    long before = shown.get();
    return change == before || shown.accumulateAndGet(change, Math::max) == change;
  }

  /** Why this queue must not be changed, or null. */
  @Nullable String frozen(Original of) {
    return kept(of).frozen;
  }

  /** Under the queue's lock: whether the ledger is at a change it had already left behind. */
  void compareWithSeen(Original of, long ledgerChange) {
    Kept known = kept(of);
    long seen = known.committed();
    if (ledgerChange < seen) {
      freeze(known, seen, ledgerChange);
    }
  }

  /**
   * Under the queue's lock, on a new connection: whether the copy remembers more than the ledger.
   */
  void compareWithCopy(Original of, long ledgerChange) {
    try {
      if (await(copy.state(of)) instanceof CopyState.At(long change) && change > ledgerChange) {
        freeze(kept(of), change, ledgerChange);
      }
    } catch (Exception e) {
      log.debug("the copy of {} cannot be asked now", of.queue(), e);
    }
  }

  private static void freeze(Kept known, long seen, long ledger) {
    if (known.frozen == null) {
      known.frozen =
          "the ledger of "
              + known.of.queue()
              + " is at change "
              + ledger
              + ", but change "
              + seen
              + " was committed: it lost commits. The queue is frozen, its line is not overwritten";
      log.error("{}", known.frozen);
      // What people were told is in the line, not in the ledger.
      known.isFollowing = true;
    }
  }

  /**
   * A change was committed here: carries it to the copy. Done when the copy has it, or when it is
   * clear that it will have to be healed.
   */
  CompletionStage<?> committed(Original of, Change change) {
    Kept known = kept(of);
    known.reached(change.to());
    known.shown.accumulateAndGet(change.to(), Math::max);
    if (change.from() == 0) {
      // A new queue: there is nothing to catch up with.
      known.isFollowing = true;
    }
    if (!known.isFollowing) {
      heal(known);
      return CompletableFuture.completedStage(null);
    }
    return copy.apply(of, change)
        .handle(
            (state, failure) -> {
              if (failure != null || !isAtLeast(state, change.to())) {
                known.isFollowing = false;
                heal(known);
              }
              return null;
            });
  }

  private static boolean isAtLeast(@Nullable CopyState state, long change) {
    return state instanceof CopyState.At(long at) && at >= change;
  }

  /** The ledger was seen at this change; once a second for every queue. */
  void beat(Original of, long change) {
    Kept known = kept(of);
    long before;
    synchronized (known) {
      before = known.committedBefore;
      known.reached(change);
      known.committedBefore = known.committed;
    }
    known.isBehindItself = change > 0 && change < before;
    if (!known.isFollowing) {
      heal(known);
      return;
    }
    copy.state(of)
        .whenComplete(
            (state, failure) -> {
              // Behind what was committed a second ago: nobody is about to apply that.
              if (failure != null || !isAtLeast(state, before)) {
                known.isFollowing = false;
                heal(known);
              }
            });
  }

  /** The copy could not answer, or has lost something. */
  void doubt(Original of) {
    Kept known = kept(of);
    known.isFollowing = false;
    heal(known);
  }

  void forget(Original of) {
    kept.computeIfPresent(of.queue(), (_, known) -> known.of.equals(of) ? null : known);
  }

  private void heal(Kept known) {
    synchronized (known) {
      if (known.isHealing || known.frozen != null) {
        return;
      }
      known.isHealing = true;
    }
    try {
      executor.execute(() -> healNow(known));
    } catch (RejectedExecutionException e) {
      log.debug("closed while a copy was to be healed");
    }
  }

  private void healNow(Kept known) {
    try {
      for (int turn = 0; turn < MAX_TURNS && !isHealed(known); turn++) {
        advance(known);
      }
    } catch (Exception e) {
      // The next heartbeat tries again. Places come from the ledger meanwhile.
      log.debug("the copy of {} is not healed yet", known.of.queue(), e);
    } finally {
      synchronized (known) {
        known.isHealing = false;
      }
    }
  }

  /** Whether the copy is where the ledger is; from then on it is read and followed again. */
  private boolean isHealed(Kept known) throws Exception {
    CopyState state = await(copy.state(known.of));
    if (!(state instanceof CopyState.At(long at))) {
      return false;
    }
    if (at > known.committed()) {
      long ledger = source.changeOf(known.of);
      if (ledger >= 0 && at > ledger) {
        freeze(known, at, ledger);
        return true;
      }
      known.reached(ledger);
    }
    synchronized (known) {
      // Under the lock: whoever commits from now on applies by itself.
      known.isFollowing = at >= known.committed;
      return known.isFollowing;
    }
  }

  private void advance(Kept known) throws Exception {
    Original of = known.of;
    CopyState state = await(copy.state(of));
    Optional<Change> missing =
        state instanceof CopyState.At(long at) ? source.since(of, at) : Optional.empty();
    if (missing.isPresent()) {
      await(copy.apply(of, missing.get()));
    } else if (source.changeOf(of) < 0) {
      forget(of);
      throw new IllegalStateException(of.queue() + " is gone");
    } else {
      log.info("building the copy of {} anew", of.queue());
      source.copy(of, copy.rebuild(of));
    }
  }

  static <T> T await(CompletionStage<T> stage)
      throws InterruptedException, ExecutionException, TimeoutException {
    return stage.toCompletableFuture().get(COPY_TIMEOUT_SECONDS, TimeUnit.SECONDS);
  }
}
