package io.naru.ledger;

import io.naru.batch.BatchObserver;
import io.naru.batch.NaturalBatch;
import io.naru.line.Moved;
import io.naru.line.Original;
import io.naru.queue.QueueId;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * While a copy is away, places are counted in the ledger. Counting along a million for everybody
 * who asks would keep the database from anything else; so each line that is asked for is read once,
 * into a {@link Tally}, which all who ask or watch share. Short lines are read one after the other,
 * and long ones, beside them, too: nobody's short line waits for a long one. A tally that nobody
 * needs any more is forgotten.
 */
final class Tallies {

  private static final Logger log = LoggerFactory.getLogger(Tallies.class);

  /**
   * How long somebody waits for a tally that is being made. A database that has to look at a
   * million rows for the first time since they were written takes longer than a second.
   */
  private static final Duration PATIENCE = Duration.ofMillis(2_200);

  /** Who watches sees a line that is this old at most; who asks sees it as it is. */
  private static final Duration FRESH = Duration.ofSeconds(1);

  private static final Duration KEPT_IDLE = Duration.ofSeconds(10);
  private static final int MAX_BATCH = 64;
  private static final int MAX_PENDING = 16_384;

  /** All tallies together take a tenth of the heap; lines beyond it are counted by the database. */
  private static final long MAX_SCORES = Runtime.getRuntime().maxMemory() / 10 / (2 * Long.BYTES);

  /** Of how many who wait a line is long: it takes more than some milliseconds to read. */
  private static final int LONG = 10_000;

  private final Reader reader;
  private final Background background;
  private final BatchObserver observer;
  private final long maxScores;
  private final OneByOne quick;
  private final OneByOne slow;
  private final NaturalBatch<Tally, Boolean> followings;
  private final Map<QueueId, Counted> kept = new ConcurrentHashMap<>();

  /** A tally, or the wait for one. */
  private static final class Counted {
    final Original of;
    final CompletableFuture<Boolean> made;
    volatile @Nullable Tally tally;
    volatile long usedAt = System.nanoTime();
    volatile long readAt;

    Counted(Original of, CompletableFuture<Boolean> made) {
      this.of = of;
      this.made = made;
    }
  }

  Tallies(Reader reader, Background background, BatchObserver observer) {
    this(reader, background, observer, MAX_SCORES);
  }

  /**
   * @param maxScores how many who wait there may be in all tallies together
   */
  Tallies(Reader reader, Background background, BatchObserver observer, long maxScores) {
    this.reader = reader;
    this.background = background;
    this.observer = observer;
    this.maxScores = maxScores;
    this.quick = new OneByOne(background);
    this.slow = new OneByOne(background);
    this.followings = new NaturalBatch<>("follow", MAX_BATCH, MAX_PENDING, observer, this::follow);
  }

  /** Done when the line can be asked for at little cost, or as soon as that is possible. */
  CompletionStage<Boolean> prepared(Original of) {
    CompletableFuture<Boolean> made = countedFor(of).made;
    return made.isDone()
        ? made
        : made.copy()
            .orTimeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
            .exceptionallyCompose(
                e ->
                    CompletableFuture.failedFuture(
                        background.failures().unavailable("count places", e)));
  }

  private Counted countedFor(Original of) {
    Counted known = kept.get(of.queue());
    if (known == null || !known.of.equals(of)) {
      known =
          Objects.requireNonNull(
              kept.compute(
                  of.queue(),
                  (_, present) ->
                      present != null && present.of.equals(of)
                          ? present
                          : new Counted(of, new CompletableFuture<>())));
      begin(known);
    }
    known.usedAt = System.nanoTime();
    return known;
  }

  private void begin(Counted begun) {
    try {
      // Nobody's patience ends it: those who asked go away, and the next ones find it.
      quick.execute(() -> make(begun, false));
    } catch (RejectedExecutionException e) {
      failed(begun, e);
    }
  }

  private void failed(Counted begun, Throwable failure) {
    // Whoever asks next tries again.
    kept.remove(begun.of.queue(), begun);
    begun.made.completeExceptionally(background.failures().unavailable("count a line", failure));
  }

  /**
   * @param mayTakeLong whether a long line may be read here
   */
  private void make(Counted begun, boolean mayTakeLong) {
    if (begun.made.isDone()) {
      // Two asked for it at once.
      return;
    }
    long start = System.nanoTime();
    @Nullable Throwable failure = null;
    try {
      if (!mayTakeLong && reader.waiting(begun.of) > LONG) {
        slow.execute(() -> make(begun, true));
        return;
      }
      long room = maxScores - size();
      begun.tally =
          (mayTakeLong ? reader.longTally(begun.of, room) : reader.tally(begun.of, room))
              .orElse(null);
      begun.readAt = System.nanoTime();
      begun.made.complete(begun.tally != null);
    } catch (Exception e) {
      failure = e;
      failed(begun, e);
    }
    observer.answered("tally", 1, System.nanoTime() - start, failure);
  }

  private long size() {
    long sum = 0;
    for (Counted known : kept.values()) {
      Tally tally = known.tally;
      sum += tally == null ? 0 : tally.size();
    }
    return sum;
  }

  /** The tally of a queue; null if there is none. */
  @Nullable Tally of(QueueId queue) {
    Counted known = kept.get(queue);
    return known == null ? null : known.tally;
  }

  /**
   * The tally was moved on to what the ledger is now. If all of them have grown beyond their room
   * by now, it is given up: its line is counted by the database, as those that had no room at once.
   */
  void read(Tally tally) {
    Counted known = kept.get(tally.of().queue());
    if (known == null) {
      return;
    }
    known.readAt = System.nanoTime();
    if (tally.equals(known.tally) && size() > maxScores) {
      known.tally = null;
    }
  }

  /** It does not add up, or is too far behind. */
  void drop(Tally tally) {
    kept.computeIfPresent(
        tally.of().queue(), (_, known) -> tally.equals(known.tally) ? null : known);
  }

  /** What happened in a line whose copy is away. */
  CompletionStage<Moved> since(Original of, long change) {
    Counted known = countedFor(of);
    Tally tally = known.tally;
    if (tally == null) {
      // Until it is there, everybody's last known place is as good.
      return CompletableFuture.completedStage(
          known.made.isDone() ? new Moved.Gap() : new Moved.Older());
    }
    boolean isFresh = System.nanoTime() - known.readAt < FRESH.toNanos();
    CompletionStage<?> moved =
        isFresh ? CompletableFuture.completedStage(true) : followings.submit(tally);
    return moved.thenApply(_ -> tally.since(change));
  }

  /** Something of a line whose copy is away, as it is by now; empty until it is counted. */
  <T> CompletionStage<Optional<T>> read(Original of, Function<Tally, T> reading) {
    Tally tally = countedFor(of).tally;
    if (tally == null) {
      return CompletableFuture.completedStage(Optional.empty());
    }
    return followings
        .submit(tally)
        .thenApply(
            _ -> {
              // Never while somebody moves it on; and if it was of no more use, the next one is
              // asked.
              synchronized (tally) {
                return Optional.of(tally).filter(t -> t.equals(of(of.queue()))).map(reading);
              }
            });
  }

  private CompletionStage<List<Boolean>> follow(List<Tally> some) {
    return background.call(
        "follow lines",
        () -> {
          for (Tally tally : some) {
            reader.follow(tally, this);
          }
          return Collections.nCopies(some.size(), true);
        });
  }

  void forgetIdle() {
    long before = System.nanoTime() - KEPT_IDLE.toNanos();
    if (kept.values().removeIf(known -> known.made.isDone() && known.usedAt - before < 0)) {
      log.debug("{} tallies are kept", kept.size());
    }
  }
}
