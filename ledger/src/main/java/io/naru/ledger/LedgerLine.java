package io.naru.ledger;

import io.naru.batch.BatchObserver;
import io.naru.batch.NaturalBatch;
import io.naru.ledger.copies.Keeper;
import io.naru.line.Line;
import io.naru.line.LineCopy;
import io.naru.line.Moved;
import io.naru.line.Original;
import io.naru.line.OverTurn;
import io.naru.line.Standing;
import io.naru.line.Tickets;
import io.naru.line.Tile;
import io.naru.line.Told;
import io.naru.queue.Entry;
import io.naru.queue.Entry.Status;
import io.naru.queue.EntryKey;
import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Where one stands, read from the copy. What the copy cannot say, because it is away, behind, being
 * healed, or because it holds only those who wait or are inside, the ledger does; so nobody hears
 * wrongly that they are unknown, and nobody sees a place of an older state than they were shown.
 * Before a copy of this server's own is given up for that, it is brought what others committed.
 */
final class LedgerLine implements Line {

  private static final int MAX_ASKED_OVER = 64;
  private static final int MAX_PENDING_OVER = 1_024;

  private final LineCopy copy;
  private final Keeper keeper;
  private final Dialect dialect;
  private final Tables tables;
  private final Reader reader;
  private final Background background;
  private final Tallies tallies;
  private final Places ledger;
  private final NaturalBatch<Reader.WantedOver, Reader.SomeOver> over;
  private final AtomicBoolean isReadingAll = new AtomicBoolean();

  LedgerLine(
      LineCopy copy,
      Keeper keeper,
      Reader reader,
      Tallies tallies,
      Dialect dialect,
      Tables tables,
      Background background,
      BatchObserver observer) {
    this.copy = copy;
    this.keeper = keeper;
    this.dialect = dialect;
    this.tables = tables;
    this.reader = reader;
    this.background = background;
    this.tallies = tallies;
    this.ledger =
        new Places(
            (asked, progress) -> reader.locate(asked, tallies, progress), background, observer);
    this.over =
        new NaturalBatch<>(
            "turns",
            MAX_ASKED_OVER,
            MAX_PENDING_OVER,
            observer,
            asked -> background.call("find turns that are over", () -> reader.over(asked)));
  }

  @Override
  public CompletionStage<Standing> locate(QueueId queue, String user) {
    return locate(queue, user, 0);
  }

  @Override
  public CompletionStage<Standing> locate(QueueId queue, String user, long seen) {
    Tables.Outdated outdated = tables.outdated();
    if (outdated != null && keeper.isFollower()) {
      // A copy of one's own hears nothing any more.
      return CompletableFuture.failedStage(
          background.failures().unavailable("find a place", outdated));
    }
    var asked = new Reader.Wanted(queue, user, Reader.Wanted.LATEST);
    Original of = keeper.original(queue);
    if (of == null || !keeper.isFollowing(of)) {
      return locateInLedger(of, asked);
    }
    CompletableFuture<Standing> located = copy.locate(of, user).toCompletableFuture();
    if (located.state() == Future.State.SUCCESS && isToShow(of, located.resultNow(), seen)) {
      // As good as always, where the copy is in memory.
      return located;
    }
    return located
        .handle(
            (standing, failure) -> {
              if (failure != null || standing instanceof Standing.NoQueue) {
                keeper.doubt(of);
                return locateInLedger(of, asked);
              }
              if (isToShow(of, standing, seen)) {
                return CompletableFuture.completedStage(standing);
              }
              return keeper.isFollower() ? followed(of, asked) : locateInLedger(of, asked);
            })
        .thenCompose(stage -> stage);
  }

  /** Whether that is the answer, for somebody who has seen this change. */
  private boolean isToShow(Original of, Standing standing, long seen) {
    return standing instanceof Standing.Found(var place)
        && !isOver(place.entry())
        && !isOlder(of, place.line().change(), seen)
        && keeper.mayShow(of, place.line().change());
  }

  /**
   * Whether they have seen a later state. Anybody can say so; where others bring the copy every
   * change, only of a state that there was.
   */
  private boolean isOlder(Original of, long change, long seen) {
    return change < seen && (keeper.isFollower() || keeper.hasReached(of, seen));
  }

  /**
   * The copy of one's own does not know them, or not what they have seen: another server may have
   * done that a moment ago. When it has what the ledger has now, it is asked again.
   */
  private CompletionStage<Standing> followed(Original of, Reader.Wanted asked) {
    return keeper
        .refreshed(of)
        .thenCompose(
            isFresh ->
                isFresh
                    ? copy.locate(of, asked.user())
                    : CompletableFuture.completedStage(new Standing.Unknown()))
        .thenCompose(
            standing ->
                isToShow(of, standing, 0)
                    ? CompletableFuture.completedStage(standing)
                    : locateInLedger(of, asked));
  }

  /** A copy knows nobody's earlier entries. */
  @Override
  public CompletionStage<Standing> earlier(EntryKey entry) {
    QueueId queue = entry.queue();
    return locateInLedger(
        keeper.original(queue), new Reader.Wanted(queue, entry.user(), entry.joined()));
  }

  /** While the copy is away, from the ledger, a little later than from it. */
  @Override
  public CompletionStage<Moved> since(QueueId queue, long change) {
    Original of = keeper.original(queue);
    if (of == null) {
      return CompletableFuture.completedStage(new Moved.Gap());
    }
    if (!keeper.isFollowing(of)) {
      return tallies.since(of, change);
    }
    return copy.since(of, change)
        .exceptionally(
            _ -> {
              keeper.doubt(of);
              return new Moved.Gap();
            });
  }

  /** While the copy is away, from the ledger. */
  @Override
  public CompletionStage<Optional<Tickets>> tickets(QueueId queue) {
    return inCopy(queue, copy::tickets, Tally::tickets);
  }

  @Override
  public CompletionStage<Optional<Tile>> tile(QueueId queue, Tile.Block block) {
    return inCopy(queue, of -> copy.tile(of, block), tally -> tally.tile(block));
  }

  private <T> CompletionStage<Optional<T>> inCopy(
      QueueId queue,
      Function<Original, CompletionStage<Optional<T>>> reading,
      Function<Tally, T> counting) {
    Original of = keeper.original(queue);
    if (of == null) {
      return CompletableFuture.completedStage(Optional.empty());
    }
    if (!keeper.isFollowing(of)) {
      return tallies.read(of, counting);
    }
    return reading
        .apply(of)
        .whenComplete(
            (_, failure) -> {
              if (failure != null) {
                keeper.doubt(of);
              }
            });
  }

  /** A copy knows only those who wait or are inside, so it is always the ledger that is asked. */
  @Override
  public CompletionStage<Told> over(QueueId queue, long after, Consumer<OverTurn> each) {
    return over.submit(new Reader.WantedOver(queue, after))
        .thenCompose(
            some -> {
              some.turns().forEach(each);
              if (some.isComplete()) {
                return CompletableFuture.completedStage(some.told());
              }
              boolean goesOn = some.told() instanceof Told.UpTo(_, long change) && change > after;
              return goesOn && after > 0
                  ? over(queue, ((Told.UpTo) some.told()).change(), each)
                  : allOver(queue, each);
            });
  }

  /** One at a time: it is a long read, and whoever else wants one asks again. */
  private CompletionStage<Told> allOver(QueueId queue, Consumer<OverTurn> each) {
    if (!isReadingAll.compareAndSet(false, true)) {
      return CompletableFuture.failedStage(
          new QueueUnavailable(
              QueueUnavailable.Kind.OVERLOADED, "the turns of another queue are being read"));
    }
    return background
        .callAtLeisure("read all turns that are over", () -> reader.allOver(queue, each))
        .whenComplete((_, _) -> isReadingAll.set(false));
  }

  /** Whether somebody's time inside is up is for the ledger to say, by its clock. */
  private boolean isOver(Entry entry) {
    return entry.status() == Status.ENTERED && entry.until() <= dialect.nowHere();
  }

  private CompletionStage<Standing> locateInLedger(@Nullable Original of, Reader.Wanted asked) {
    if (of == null) {
      return ledger.locate(asked);
    }
    CompletionStage<Standing> counted =
        keeper.isFollowing(of)
            ? ledger.locate(asked)
            : tallies.prepared(of).thenCompose(_ -> ledger.locate(asked));
    return counted.thenCompose(
        standing ->
            standing instanceof Standing.Found(var place)
                ? told(of, place.line().change()).thenApply(_ -> standing)
                : CompletableFuture.completedStage(standing));
  }

  /** Whoever asks after them is shown nothing older. */
  private CompletionStage<?> told(Original of, long change) {
    return keeper
        .has(of, change)
        .thenAccept(
            has -> {
              if (!has) {
                throw new QueueUnavailable(
                    QueueUnavailable.Kind.TIMEOUT,
                    "the line of " + of.queue() + " does not follow its ledger now");
              }
              keeper.mayShow(of, change);
            });
  }
}
