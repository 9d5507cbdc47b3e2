package io.naru.ledger.copies;

import io.naru.line.Change;
import io.naru.line.CopyState;
import io.naru.line.LineCopy;
import io.naru.line.Original;
import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import io.naru.queue.QueueUnavailable.Kind;
import java.time.Duration;
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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Keeps the copy of every queue up with the ledger. After its own commit a server applies that one
 * change; whenever the copy turns out to be anywhere else, it is healed: what is missing is read by
 * its number and applied in one jump, and a copy that is lost is built anew beside the old one
 * ({@link Rebuilding}). Joins and admissions go on meanwhile; they never needed the copy.
 *
 * <p>A copy that is <em>ahead</em> of its ledger means that the ledger lost commits. Then nothing
 * is overwritten: the queue is frozen until an operator has looked.
 */
public final class Keeper {

  private static final Logger log = LoggerFactory.getLogger(Keeper.class);

  /** A healer that has not succeeded after so many turns leaves it to the next heartbeat. */
  private static final int MAX_TURNS = 100;

  private static final long COPY_TIMEOUT_SECONDS = 5;

  /** A jump is one step of the copy; more than this would hold it up, and is built anew instead. */
  static final int MAX_JUMP = 20_000;

  /** Lines of more people than that are built anew one at a time. */
  private static final int LONG = 10_000;

  /** After a rebuild that failed, the next one waits: twice as long each time, up to these. */
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

  private static final Duration PAUSE_IF_AWAY = Duration.ofSeconds(2);
  private static final Duration PAUSE_IF_FULL = Duration.ofSeconds(30);

  /** How many copies are healed at the same time, each over a connection of its own. */
  public static final int HEALED_AT_ONCE = Healers.AT_ONCE;

  private final LineCopy copy;
  private final Source source;
  private final Healers healers;
  private final LongSupplier nanos;
  private final int maxJump;
  private final Map<QueueId, Kept> kept = new ConcurrentHashMap<>();

  public Keeper(LineCopy copy, Source source, Executor executor) {
    this(copy, source, executor, System::nanoTime, MAX_JUMP);
  }

  Keeper(LineCopy copy, Source source, Executor executor, LongSupplier nanos, int maxJump) {
    this.copy = copy;
    this.source = source;
    this.healers = new Healers(executor);
    this.nanos = nanos;
    this.maxJump = maxJump;
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
  public List<String> troubles() {
    List<String> all = new ArrayList<>();
    for (Kept known : kept.values()) {
      String frozen = known.frozen;
      String failure = known.failure;
      if (frozen != null) {
        all.add(frozen);
      } else if (!known.isFollowing) {
        all.add(failure == null ? "the copy of " + known.of.queue() + " is being healed" : failure);
      }
    }
    return all;
  }

  /** How many queues are frozen. */
  public int frozen() {
    return frozenQueues().size();
  }

  /** Which queues are frozen. */
  public List<QueueId> frozenQueues() {
    return kept.values().stream()
        .filter(known -> known.frozen != null)
        .map(known -> known.of.queue())
        .toList();
  }

  /** How many copies are not where the ledger is, and are being healed. */
  public int behind() {
    return (int) kept.values().stream().filter(known -> !known.isFollowing).count();
  }

  /**
   * The queues that are frozen, or will be if they are locked and looked at: the ledger was seen at
   * a change that it had left behind.
   */
  public List<QueueId> inDoubt() {
    return kept.values().stream()
        .filter(known -> known.frozen != null || known.isBehindItself)
        .map(known -> known.of.queue())
        .toList();
  }

  /** The queue that goes by this name, if it is known here. */
  public @Nullable Original original(QueueId queue) {
    Kept known = kept.get(queue);
    return known == null ? null : known.of;
  }

  /** Whether the copy may be asked. */
  public boolean isFollowing(Original of) {
    Kept known = kept.get(of.queue());
    return known != null && known.isFollowing && known.of.equals(of);
  }

  /** Whether a place of this change may be shown: not if somebody was shown a later one. */
  public boolean mayShow(Original of, long change) {
    AtomicLong shown = kept(of).shown;
    long before = shown.get();
    return change == before || shown.accumulateAndGet(change, Math::max) == change;
  }

  /** Why this queue must not be changed, or null. */
  public @Nullable String frozen(Original of) {
    return kept(of).frozen;
  }

  /** Under the queue's lock: whether the ledger is at a change it had already left behind. */
  public void compareWithSeen(Original of, long ledgerChange) {
    Kept known = kept(of);
    long seen = known.committed();
    if (ledgerChange < seen) {
      freeze(known, seen, ledgerChange);
    } else {
      known.isBehindItself = false;
    }
  }

  /**
   * Under the queue's lock, on a new connection: whether the copy remembers more than the ledger.
   */
  public void compareWithCopy(Original of, long ledgerChange) {
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
  public CompletionStage<?> committed(Original of, Change change) {
    Kept known = kept(of);
    known.shown.accumulateAndGet(change.to(), Math::max);
    if (!known.committed(change)) {
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
  public void beat(Original of, long change) {
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

  /** Tries again what is not healed yet, also of queues that no heartbeat looks at. */
  public void healRest() {
    kept.values().stream().filter(known -> !known.isFollowing).forEach(this::heal);
  }

  /** The copy could not answer, or has lost something. */
  public void doubt(Original of) {
    Kept known = kept(of);
    known.isFollowing = false;
    heal(known);
  }

  /**
   * The copy is not what the ledger says, although it is whole and in its place: nobody reads it
   * any more, and it is built anew. Unless the ledger itself is in doubt: then it is all there is.
   */
  void distrust(Original of) throws Exception {
    Kept known = kept(of);
    if (known.frozen != null || known.isBehindItself) {
      return;
    }
    known.isFollowing = false;
    await(copy.drop(of.queue()));
    heal(known);
  }

  public void forget(Original of) {
    kept.computeIfPresent(of.queue(), (_, known) -> known.of.equals(of) ? null : known);
  }

  private void heal(Kept known) {
    synchronized (known) {
      if (known.isHealing || known.frozen != null || mustPause(known)) {
        return;
      }
      known.isHealing = true;
    }
    healers.quick(() -> heal(known, false));
  }

  private boolean mustPause(Kept known) {
    return known.failures > 0 && known.retryAt - nanos.getAsLong() > 0;
  }

  /**
   * @param mayTakeLong whether a long line may be built anew here
   */
  private void heal(Kept known, boolean mayTakeLong) {
    boolean isOver = true;
    try {
      for (int turn = 0; turn < MAX_TURNS; turn++) {
        CopyState state = await(copy.state(known.of));
        boolean isThere = isHealed(known, state);
        if (!isThere && jump(known, state)) {
          if (!known.isFollowing) {
            continue;
          }
          isThere = true;
        }
        if (isThere) {
          healed(known);
          break;
        }
        if (!mayTakeLong && isLong(known.of)) {
          isOver = false;
          healers.slow(() -> heal(known, true));
          break;
        }
        rebuild(known, mayTakeLong);
      }
    } catch (Exception e) {
      // The next heartbeat tries again. Places come from the ledger meanwhile.
      log.debug("the copy of {} is not healed yet", known.of.queue(), e);
    } finally {
      if (isOver) {
        synchronized (known) {
          known.isHealing = false;
        }
      }
    }
  }

  /** Whether the copy is where the ledger is; from then on it is read and followed again. */
  private boolean isHealed(Kept known, CopyState state) throws Exception {
    if (!(state instanceof CopyState.At(long at))) {
      return false;
    }
    if (at > known.committed()) {
      long ledger = source.reached(known.of).map(Source.Reached::change).orElse(-1L);
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

  private void healed(Kept known) {
    synchronized (known) {
      if (known.failures == 0) {
        return;
      }
      known.failures = 0;
      known.failure = null;
    }
    log.info("the copy of {} is healed", known.of.queue());
  }

  /** From where the copy is to where the ledger is; false if that is too far or not known. */
  private boolean jump(Kept known, CopyState from) throws Exception {
    if (!(from instanceof CopyState.At(long at))) {
      return false;
    }
    known.listen();
    try {
      Change next = source.since(known.of, at, maxJump).orElse(null);
      boolean isNear = next != null;
      while (next != null) {
        next = known.nextAfter(await(copy.apply(known.of, next)));
      }
      return isNear;
    } finally {
      known.stopListening();
    }
  }

  private boolean isLong(Original of) throws Exception {
    Optional<Source.Reached> reached = source.reached(of);
    if (reached.isEmpty()) {
      forget(of);
      throw new IllegalStateException(of.queue() + " is gone");
    }
    return reached.get().waiting() + reached.get().inside() > LONG;
  }

  private void rebuild(Kept known, boolean isLong) throws Exception {
    Original of = known.of;
    // Not of each of a thousand that a Redis has lost; a long one is news.
    log.atLevel(isLong && known.failures == 0 ? Level.INFO : Level.DEBUG)
        .log("building the copy of {} anew", of.queue());
    try {
      Rebuilding.run(source, of, copy.rebuild(of), maxJump);
    } catch (Exception e) {
      failed(known, e);
      throw e;
    }
  }

  private void failed(Kept known, Exception e) {
    Throwable cause = e instanceof ExecutionException && e.getCause() != null ? e.getCause() : e;
    boolean isFull = isFull(cause);
    Duration longest = isFull ? PAUSE_IF_FULL : PAUSE_IF_AWAY;
    String failure =
        "the copy of "
            + known.of.queue()
            + " cannot be built: "
            + cause.getMessage()
            + "; its places are counted in the ledger, which takes longer";
    int failures;
    synchronized (known) {
      Duration pause = FIRST_PAUSE.multipliedBy(1L << Math.min(known.failures, 10));
      pause = pause.compareTo(longest) < 0 ? pause : longest;
      known.retryAt = nanos.getAsLong() + pause.toNanos();
      known.failure = failure;
      failures = ++known.failures;
    }
    if (isFull) {
      // The old one is too far behind to be of use, and takes the room of the next try.
      copy.drop(known.of.queue());
      if (failures == 1) {
        log.warn("{}. It is tried again every now and then", failure);
      }
    }
  }

  /** Whether there is no room for it, as Redis says it. */
  private static boolean isFull(Throwable cause) {
    return cause instanceof QueueUnavailable unavailable
        && unavailable.kind() == Kind.REFUSED
        && String.valueOf(unavailable.getMessage()).contains("OOM");
  }

  static <T> T await(CompletionStage<T> stage)
      throws InterruptedException, ExecutionException, TimeoutException {
    return stage.toCompletableFuture().get(COPY_TIMEOUT_SECONDS, TimeUnit.SECONDS);
  }
}
