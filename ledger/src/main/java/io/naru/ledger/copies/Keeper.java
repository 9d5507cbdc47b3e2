package io.naru.ledger.copies;

import io.naru.batch.BatchObserver;
import io.naru.batch.NaturalBatch;
import io.naru.line.Change;
import io.naru.line.CopyState;
import io.naru.line.LineCopy;
import io.naru.line.Original;
import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import io.naru.queue.QueueUnavailable.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
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
 * <p>A copy that all servers share is where the ledger is, or is healed. A copy of this server's
 * own is behind whenever another server has committed, which is no fault: it follows. What is
 * missing is read in one jump for all who wait for it ({@link #has}), and nobody is told of a
 * change here before the copy has it; so nobody who asks next is shown an older one, and nobody has
 * to ask the ledger.
 *
 * <p>A copy that is <em>ahead</em> of its ledger means that the ledger lost commits, or that it was
 * read where it is behind, as on a standby. Nothing is overwritten then; whoever locks the queue
 * and can commit says which, and freezes it until an operator has looked.
 */
public final class Keeper {

  private static final Logger log = LoggerFactory.getLogger(Keeper.class);

  /** A healer that has not succeeded after so many turns leaves it to the next heartbeat. */
  private static final int MAX_TURNS = 100;

  private static final long COPY_TIMEOUT_SECONDS = 5;

  /** How long somebody waits for a copy of one's own to follow. */
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  /**
   * How long the writer waits for a copy while it holds a lock: the database ends a transaction of
   * which it hears nothing for a second.
   */
  private static final Duration COMPARING = Duration.ofMillis(300);

  /** After it waited in vain it asks nothing for so long: everybody waits for the writer. */
  private static final Duration SILENCE = Duration.ofSeconds(2);

  /** So many are answered by one look at their queues; and so many may wait for it. */
  private static final int MAX_BATCH = 1_024;

  private static final int MAX_PENDING = 65_536;

  /** So many queues are read at a time: others need connections to the ledger, too. */
  private static final int FOLLOWED_AT_ONCE = 2;

  /** Own commits come in between while it follows; so often it looks where it is then. */
  private static final int MAX_STEPS = 10;

  /** Whatever the ledger is at when it is asked next. */
  private static final long LATEST = Long.MAX_VALUE;

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

  private static final CompletionStage<Boolean> IS_SO = CompletableFuture.completedStage(true);

  private final LineCopy copy;
  private final Source source;
  private final Healers healers;
  private final LongSupplier nanos;
  private final int maxJump;
  private final Map<QueueId, Kept> kept = new ConcurrentHashMap<>();
  private final NaturalBatch<Wanted, Boolean> followings;

  /** Whether the writer has waited for a copy in vain; its thread alone knows. */
  private boolean isSilent;

  private long silentAt;

  /** A change that somebody waits for in a copy of one's own. */
  private record Wanted(Kept known, long change) {}

  public Keeper(LineCopy copy, Source source, Executor executor, BatchObserver observer) {
    this(copy, source, executor, observer, System::nanoTime, MAX_JUMP);
  }

  Keeper(LineCopy copy, Source source, Executor executor, LongSupplier nanos, int maxJump) {
    this(copy, source, executor, BatchObserver.NONE, nanos, maxJump);
  }

  private Keeper(
      LineCopy copy,
      Source source,
      Executor executor,
      BatchObserver observer,
      LongSupplier nanos,
      int maxJump) {
    this.followings =
        new NaturalBatch<>(
            "catchup", MAX_BATCH, MAX_PENDING, observer, wanted -> follow(wanted, executor));
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
    return kept.values().stream().filter(Kept::isInDoubt).map(known -> known.of.queue()).toList();
  }

  /** Whether this queue is one of those, so that the ledger may lack what the copy has. */
  public boolean isInDoubt(Original of) {
    return kept(of).isInDoubt();
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

  /** Whether the ledger is known to have reached a change. */
  public boolean hasReached(Original of, long change) {
    return kept(of).committed() >= change;
  }

  /** Whether other servers' changes reach the copy only by following. */
  public boolean isFollower() {
    return copy.isOwn();
  }

  /**
   * Before somebody is told of a change: brings a copy of one's own there. False if that cannot be
   * done soon; then they must not be told, or whoever asks next would be shown an older one. At
   * once where the copy is everybody's, or not followed, so that the ledger is asked anyway.
   */
  public CompletionStage<Boolean> has(Original of, long change) {
    Kept known = kept(of);
    return copy.isOwn() && known.isFollowing
        ? brought(known, change).thenCompose(has -> mayTell(known, change, has))
        : IS_SO;
  }

  /** If it did not follow it was given up, so that the ledger is asked, or is healed by now. */
  private CompletionStage<Boolean> mayTell(Kept known, long change, boolean has) {
    return has || !known.isFollowing
        ? IS_SO
        : copy.state(known.of).thenApply(state -> isAtLeast(state, change));
  }

  /** Brings a copy of one's own to where the ledger is now; false if that cannot be done soon. */
  public CompletionStage<Boolean> refreshed(Original of) {
    return follow(kept(of), LATEST);
  }

  private CompletionStage<Boolean> brought(Kept known, long change) {
    return copy.state(known.of)
        .thenCompose(state -> isAtLeast(state, change) ? IS_SO : follow(known, change));
  }

  private CompletionStage<Boolean> follow(Kept known, long change) {
    return followings
        .submit(new Wanted(known, change))
        .completeOnTimeout(false, PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
        .exceptionally(_ -> false);
  }

  /** Follows some queues, a few at a time. */
  private CompletionStage<List<Boolean>> follow(List<Wanted> all, Executor executor) {
    Map<Kept, Long> furthest = new LinkedHashMap<>();
    all.forEach(wanted -> furthest.merge(wanted.known, wanted.change, Math::max));
    var waiting = new ConcurrentLinkedQueue<>(furthest.entrySet());
    Map<Kept, Boolean> followed = new ConcurrentHashMap<>();
    var atOnce = new CompletableFuture<?>[Math.min(FOLLOWED_AT_ONCE, furthest.size())];
    Arrays.setAll(
        atOnce, _ -> CompletableFuture.runAsync(() -> follow(waiting, followed), executor));
    return CompletableFuture.allOf(atOnce)
        .thenApply(
            _ -> all.stream().map(wanted -> followed.getOrDefault(wanted.known, false)).toList());
  }

  /** One after the other; where the ledger does not answer, the others need not try. */
  private void follow(Queue<Map.Entry<Kept, Long>> waiting, Map<Kept, Boolean> followed) {
    for (var next = waiting.poll(); next != null; next = waiting.poll()) {
      try {
        followed.put(next.getKey(), isFollowed(next.getKey(), next.getValue()));
      } catch (Exception e) {
        // The next look tries again. What is there is shown meanwhile: it is older, and true.
        log.debug("the copy of {} does not follow", next.getKey().of.queue(), e);
        return;
      }
    }
  }

  /** Goes to this change, or to where the ledger is if that is less. */
  private boolean isFollowed(Kept known, long wanted) throws Exception {
    long goal = wanted;
    for (int step = 0; step < MAX_STEPS && known.isFollowing; step++) {
      if (!(withOwn(known, await(copy.state(known.of))) instanceof CopyState.At(long at))) {
        doubt(known.of);
        return false;
      }
      if (at >= goal) {
        return true;
      }
      if (known.frozen != null || known.hasLostOwn) {
        // It is all there is.
        return true;
      }
      Change next = source.since(known.of, at, maxJump).orElse(null);
      if (next == null) {
        // More than one jump, or the queue is gone. Whoever heals it must know how far it is.
        source.reached(known.of).ifPresent(ledger -> known.reached(ledger.change()));
        doubt(known.of);
        return false;
      }
      if (next.to() < at) {
        known.isBehindItself(at);
        return false;
      }
      known.reached(next.to());
      goal = Math.min(goal, next.to());
      if (next.to() > at) {
        await(copy.apply(known.of, next));
      }
    }
    return false;
  }

  /** Applies what was committed here on top of where the copy is. */
  private CopyState withOwn(Kept known, CopyState from) throws Exception {
    CopyState state = from;
    while (state instanceof CopyState.At(long at)) {
      Change next = known.setAsideFrom(at);
      if (next == null) {
        break;
      }
      state = await(copy.apply(known.of, next));
    }
    return state;
  }

  /** The ledger was seen at this change, some times a second: a copy of one's own follows. */
  public void look(Original of, long change) {
    Kept known = kept(of);
    known.reached(change);
    if (known.isFollowing) {
      var _ = brought(known, change);
    } else {
      heal(known);
    }
  }

  /**
   * Some queues that the last heartbeat did not come upon, so that somebody may see whether they
   * are still there: first of all those in which anybody was.
   */
  public List<Original> missing(Set<Original> seen, int limit) {
    List<Kept> unseen = new ArrayList<>(kept.values());
    unseen.removeIf(known -> seen.contains(known.of));
    Collections.shuffle(unseen);
    unseen.sort(Comparator.comparing(known -> !known.isBusy));
    return unseen.stream().limit(limit).map(known -> known.of).toList();
  }

  /**
   * This queue is not in the ledger any more. The copy that all servers share is left to whoever
   * deleted it: if the ledger has lost the queue instead, it is all there is.
   */
  public void missed(Original of) {
    if (copy.isOwn()) {
      gone(of);
    } else {
      forget(of);
      // Of one that is lost nothing is kept here either.
      var _ = copy.state(of);
    }
  }

  /** Another server has deleted this queue. */
  private void gone(Original of) {
    forget(of);
    copy.state(of)
        .thenAccept(
            state -> {
              if (state instanceof CopyState.At) {
                var _ = copy.drop(of.queue());
              }
            });
  }

  /** Why this queue must not be changed, or null. */
  public @Nullable String frozen(Original of) {
    return kept(of).frozen;
  }

  /** What the ledger was found to have lost when the queue was locked last, or null. */
  public @Nullable String lost(Original of) {
    return kept(of).lost;
  }

  /** Under the queue's lock: whether the ledger is at a change it had already left behind. */
  public void compareWithSeen(Original of, long ledgerChange) {
    Kept known = kept(of);
    known.lost = null;
    long seen = known.committed();
    if (ledgerChange < seen) {
      lost(known, seen, ledgerChange);
    } else if (known.hasLostOwn) {
      known.lost =
          "the ledger of %s lost commits of this server, and is at change %s by now"
              .formatted(of.queue(), ledgerChange);
    } else if (known.isBehindItself) {
      known.isBehindItself = false;
      // Meanwhile it was brought nothing.
      doubt(of);
    }
  }

  /**
   * Under the queue's lock, on a new connection: whether the copy remembers more than the ledger.
   * If it does not answer soon, it is asked again before anybody reads it.
   */
  public void compareWithCopy(Original of, long ledgerChange) {
    if (isSilent && nanos.getAsLong() - silentAt < SILENCE.toNanos()) {
      doubt(of);
      return;
    }
    try {
      CopyState state =
          copy.state(of).toCompletableFuture().get(COMPARING.toMillis(), TimeUnit.MILLISECONDS);
      isSilent = false;
      if (state instanceof CopyState.At(long change) && change > ledgerChange) {
        lost(kept(of), change, ledgerChange);
      }
    } catch (Exception e) {
      isSilent = e instanceof TimeoutException;
      silentAt = nanos.getAsLong();
      log.debug("the copy of {} cannot be asked now", of.queue(), e);
      doubt(of);
    }
  }

  private static void lost(Kept known, long seen, long ledger) {
    known.lost =
        "the ledger of %s is at change %s, but change %s was committed: it lost commits"
            .formatted(known.of.queue(), ledger, seen);
    known.isBehindItself(seen);
  }

  /** What this server committed is not there over a new connection. Said before the lock. */
  public void hasLostOwn(Original of) {
    kept(of).hasLostOwn();
  }

  /**
   * After the comparisons above a commit was answered over the same connection. An old primary,
   * whose standby has taken over, would be as far behind, and answers none.
   */
  public void proven(Original of) {
    Kept known = kept(of);
    synchronized (known) {
      if (known.lost != null && known.frozen == null) {
        known.frozen = known.lost + ". The queue is frozen, its line is not overwritten";
        log.error("{}", known.frozen);
        // What people were told is in the line, not in the ledger.
        known.isFollowing = true;
      }
    }
  }

  /**
   * A change was committed here: carries it to the copy. Done when the copy has it, or when it is
   * clear that it will have to be healed. False if a copy of one's own cannot follow soon: then
   * nobody must be told, as with {@link #has}.
   */
  public CompletionStage<Boolean> committed(Original of, Change change) {
    Kept known = kept(of);
    if (!known.committed(change)) {
      known.show(change.to());
      heal(known);
      return IS_SO;
    }
    return copy.apply(of, change)
        .handle((state, failure) -> failure == null ? state : new CopyState.Lost())
        .thenCompose(state -> carried(known, change, state));
  }

  /** The copy was brought a change, and is there then. */
  private CompletionStage<Boolean> carried(Kept known, Change change, CopyState state) {
    if (isAtLeast(state, change.to())) {
      known.show(change.to());
      return IS_SO;
    }
    if (copy.isOwn() && state instanceof CopyState.At) {
      // Others have committed in between.
      known.setAside(change);
      return follow(known, change.to())
          .thenCompose(has -> mayTell(known, change.to(), has))
          .whenComplete(
              (mayTell, _) -> {
                if (mayTell) {
                  known.show(change.to());
                }
              });
    }
    known.show(change.to());
    known.follows(false);
    heal(known);
    return IS_SO;
  }

  private static boolean isAtLeast(@Nullable CopyState state, long change) {
    return state instanceof CopyState.At(long at) && at >= change;
  }

  /** Somebody asked for a queue, and there is one. Where its ledger is, others say. */
  public void exists(Original of) {
    Kept known = kept(of);
    if (!known.isFollowing) {
      heal(known);
    }
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
    if (change < before) {
      known.isBehindItself(before);
    }
    if (!known.isFollowing) {
      heal(known);
      return;
    }
    copy.state(of)
        .whenComplete(
            (state, failure) -> {
              boolean isThere = state instanceof CopyState.At && known.isBehindItself;
              if (failure == null && (isThere || isAtLeast(state, before))) {
                return;
              }
              // Behind what was committed a second ago: nobody is about to apply that.
              if (failure != null || !copy.isOwn() || state instanceof CopyState.Lost) {
                doubt(of);
                return;
              }
              follow(known, before)
                  .thenAccept(
                      has -> {
                        if (!has && !known.isBehindItself) {
                          doubt(of);
                        }
                      });
            });
  }

  /**
   * The same.
   *
   * @param isBusy whether anybody waits there or is inside
   */
  public void beat(Original of, long change, boolean isBusy) {
    kept(of).isBusy = isBusy;
    beat(of, change);
  }

  /** Tries again what is not healed yet, also of queues that no heartbeat looks at. */
  public void healRest() {
    kept.values().stream().filter(known -> !known.isFollowing).forEach(this::heal);
  }

  /** The copy could not answer, or has lost something. */
  public void doubt(Original of) {
    Kept known = kept(of);
    known.follows(false);
    heal(known);
  }

  /**
   * The copy is not what the ledger says, although it is whole and in its place: nobody reads it
   * any more, and it is built anew. Unless the ledger itself is in doubt: then it is all there is.
   */
  void distrust(Original of) throws Exception {
    Kept known = kept(of);
    CompletionStage<?> dropped = drop(known);
    if (dropped != null) {
      await(dropped);
      heal(known);
    }
  }

  /**
   * Nobody reads the copy any more. Null if the ledger is in doubt: then it is all there is. It is
   * sent for while nobody can freeze the queue in between.
   */
  private @Nullable CompletionStage<?> drop(Kept known) {
    synchronized (known) {
      if (known.isInDoubt()) {
        return null;
      }
      known.isFollowing = false;
      return copy.drop(known.of.queue());
    }
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
    boolean isBuilt = false;
    try {
      for (int turn = 0; turn < MAX_TURNS; turn++) {
        CopyState state = await(copy.state(known.of));
        boolean isThere = known.isFollowing || isHealed(known, state);
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
        isBuilt = true;
      }
    } catch (Exception e) {
      // The next heartbeat tries again. Places come from the ledger meanwhile.
      log.debug("the copy of {} is not healed yet", known.of.queue(), e);
      delayed(known, e);
    } finally {
      if (isOver) {
        synchronized (known) {
          known.isHealing = false;
        }
      }
    }
    if (isBuilt) {
      // It is asked from now on: nobody has to wait for this.
      dropIfGone(known.of);
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
        known.isBehindItself(at);
        return true;
      }
      known.reached(ledger);
    }
    synchronized (known) {
      // Under the lock: whoever commits from now on applies by itself. So does whoever made the
      // queue and has committed meanwhile: what that leads to was not there when we looked.
      if (!known.isFollowing) {
        known.follows(at >= known.committed);
      }
      return known.isFollowing;
    }
  }

  private void healed(Kept known) {
    synchronized (known) {
      known.failure = null;
      if (known.failures == 0) {
        return;
      }
      known.failures = 0;
    }
    log.info("the copy of {} is healed", known.of.queue());
  }

  /** Why it does not follow yet, in the words of its store. That it cannot be built says more. */
  private static void delayed(Kept known, Exception e) {
    String reason = cause(e).getMessage();
    synchronized (known) {
      if (known.failures == 0 && reason != null) {
        known.failure = "the copy of " + known.of.queue() + " is being healed: " + reason;
      }
    }
  }

  private static Throwable cause(Exception e) {
    return e instanceof ExecutionException && e.getCause() != null ? e.getCause() : e;
  }

  /** From where the copy is to where the ledger is; false if that is too far or not known. */
  private boolean jump(Kept known, CopyState from) throws Exception {
    if (!(from instanceof CopyState.At(long at))) {
      return false;
    }
    known.listen();
    try {
      Change next = source.since(known.of, at, maxJump).orElse(null);
      if (next != null && next.to() < at) {
        // The copy lacks what was seen here, and the ledger seems to lack more than that.
        known.isBehindItself(at);
        return true;
      }
      boolean isNear = next != null;
      while (next != null) {
        next = known.nextAfter(await(copy.apply(known.of, next)), copy.isOwn());
      }
      return isNear;
    } finally {
      known.stopListening();
    }
  }

  private boolean isLong(Original of) throws Exception {
    Optional<Source.Reached> reached = source.reached(of);
    if (reached.isEmpty()) {
      missed(of);
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

  /** Whoever deleted the queue meanwhile dropped its copy before this one took its place. */
  private void dropIfGone(Original of) {
    try {
      if (source.reached(of).isEmpty()) {
        gone(of);
      }
    } catch (Exception e) {
      log.debug("whether {} is still there is not known", of.queue(), e);
    }
  }

  private void failed(Kept known, Exception e) {
    Throwable cause = cause(e);
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
      var _ = drop(known);
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
