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
import io.naru.queue.QueueUnavailable.Kind;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Where one stands, read from the copy. What the copy cannot say, because it is away, behind, being
 * healed, or because it holds only those who wait or are inside, the ledger does; so nobody hears
 * wrongly that they are unknown, and nobody sees a place of an older state than they were shown.
 * Before a copy of this server's own is given up for that, it is brought what others committed.
 *
 * <p>A ledger that lost commits has nothing to say about whom the copy still knows: of a frozen
 * queue they are shown what the copy says, whatever else they have seen.
 */
final class LedgerLine implements Line {

  private static final int MAX_ASKED_OVER = 64;
  private static final int MAX_PENDING_OVER = 1_024;

  /** Some megabytes each. */
  private static final int MAX_ASKED_LATEST = 4;

  private final LineCopy copy;
  private final Keeper keeper;
  private final Dialect dialect;
  private final Tables tables;
  private final Reader reader;
  private final Background background;
  private final Tallies tallies;
  private final Places ledger;
  private final LookUps lookUps;
  private final NaturalBatch<Reader.WantedOver, Reader.SomeOver> over;
  private final NaturalBatch<Reader.WantedLatest, Reader.SomeOver> latest;

  private final AtomicBoolean isReadingAll = new AtomicBoolean();

  LedgerLine(
      LineCopy copy,
      Keeper keeper,
      Reader reader,
      Tallies tallies,
      Dialect dialect,
      Tables tables,
      Background background,
      Asides asides,
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
    this.lookUps =
        new LookUps(
            "lookup-places", reader, keeper, observer, look -> asides.call(LookUps.WHAT, look));
    this.over =
        new NaturalBatch<>(
            "turns",
            MAX_ASKED_OVER,
            MAX_PENDING_OVER,
            observer,
            asked -> background.call("find turns that are over", () -> reader.over(asked)));
    this.latest =
        new NaturalBatch<>(
            "turns-latest",
            MAX_ASKED_LATEST,
            MAX_PENDING_OVER,
            observer,
            asked -> background.call("find the latest turns", () -> reader.latestOver(asked)));
  }

  /**
   * The queue of that name. Anybody can ask for made-up ones: those wait where nobody does who
   * stands in one, and no gate.
   */
  private CompletionStage<Optional<Original>> find(QueueId queue) {
    Original of = keeper.original(queue);
    return of != null ? CompletableFuture.completedStage(Optional.of(of)) : lookUps.find(queue);
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
    if (of == null) {
      return locateInLedger(asked);
    }
    if (!keeper.isFollowing(of)) {
      return locateInLedger(of, asked);
    }
    CompletableFuture<Standing> located = copy.locate(of, user).toCompletableFuture();
    if (located.state() == Future.State.SUCCESS && isToShow(of, located.resultNow(), seen)) {
      // As good as always, where the copy is in memory.
      return located;
    }
    return located
        .handle(
            (standing, failure) ->
                failure == null
                    ? answered(of, asked, standing, seen)
                    : unanswered(of, asked, failure))
        .thenCompose(stage -> stage);
  }

  private CompletionStage<Standing> answered(
      Original of, Reader.Wanted asked, Standing standing, long seen) {
    if (isToShow(of, standing, seen)) {
      return CompletableFuture.completedStage(standing);
    }
    return switch (standing) {
      case Standing.NoQueue _ -> {
        keeper.doubt(of);
        yield locateInLedger(of, asked);
      }
      case Standing.Found inLine when keeper.frozen(of) != null -> orOver(of, inLine, asked);
      case Standing.Found _ when keeper.isInDoubt(of) -> CompletableFuture.failedStage(inDoubt(of));
      case Standing.Found _, Standing.Unknown _ ->
          keeper.isFollower() ? followed(of, asked) : locateInLedger(of, asked);
    };
  }

  private CompletionStage<Standing> unanswered(
      Original of, Reader.Wanted asked, Throwable failure) {
    keeper.doubt(of);
    return keeper.frozen(of) == null
        ? locateInLedger(of, asked)
        : CompletableFuture.failedStage(away(of, failure));
  }

  /** What they were told is in the line of a frozen queue, and nowhere else. */
  private static QueueUnavailable away(Original of, Throwable failure) {
    return new QueueUnavailable(
        Kind.DISCONNECTED,
        "the line of " + of.queue() + " cannot be asked, and its ledger lost commits",
        failure);
  }

  /** The line is older than what somebody was shown, and the ledger seems to be older still. */
  private static QueueUnavailable inDoubt(Original of) {
    return new QueueUnavailable(
        Kind.TIMEOUT, "the ledger of " + of.queue() + " seems to be behind its line");
  }

  /** Whose time inside is up in a frozen queue hears that, if the ledger knows of it. */
  private CompletionStage<Standing> orOver(
      Original of, Standing.Found inLine, Reader.Wanted asked) {
    return locateInLedger(of, asked)
        .handle(
            (standing, _) ->
                standing instanceof Standing.Found(var place)
                        && !place.entry().isLive()
                        && place.entry().key().equals(inLine.place().entry().key())
                    ? standing
                    : inLine);
  }

  /** Whether that is the answer, for somebody who has seen this change. */
  private boolean isToShow(Original of, Standing standing, long seen) {
    return standing instanceof Standing.Found(var place)
        && !isOver(place.entry())
        && (isLatest(of, place.line().change(), seen) || keeper.frozen(of) != null);
  }

  private boolean isLatest(Original of, long change, long seen) {
    return !isOlder(of, change, seen) && keeper.mayShow(of, change);
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
    return locateInLedger(new Reader.Wanted(entry.queue(), entry.user(), entry.joined()));
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
        .exceptionallyCompose(
            _ -> {
              keeper.doubt(of);
              // Those who watch need not ask all at once; of a frozen queue the copy is all there
              // is.
              return keeper.isFollowing(of)
                  ? CompletableFuture.completedStage(new Moved.Gap())
                  : tallies.since(of, change);
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
    return someOver(queue, after)
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

  private CompletionStage<Reader.SomeOver> someOver(QueueId queue, long after) {
    return find(queue)
        .thenCompose(
            found ->
                found.isPresent()
                    ? over.submit(new Reader.WantedOver(queue, after))
                    : CompletableFuture.completedStage(Reader.SomeOver.NO_QUEUE));
  }

  @Override
  public CompletionStage<Told> latestOver(QueueId queue, int most, Consumer<OverTurn> each) {
    return someOver(queue, 0)
        .thenCompose(
            some ->
                some.isComplete()
                    ? CompletableFuture.completedStage(some)
                    : latest.submit(new Reader.WantedLatest(queue, most)))
        .thenApply(
            some -> {
              some.turns().forEach(each);
              return some.told();
            });
  }

  /** One at a time: it is a long read, and whoever else wants one asks again. */
  private CompletionStage<Told> allOver(QueueId queue, Consumer<OverTurn> each) {
    if (!isReadingAll.compareAndSet(false, true)) {
      return CompletableFuture.failedStage(
          new QueueUnavailable(Kind.OVERLOADED, "the turns of another queue are being read"));
    }
    return background
        .callAtLeisure("read all turns that are over", () -> reader.allOver(queue, each))
        .whenComplete((_, _) -> isReadingAll.set(false));
  }

  /** Whether somebody's time inside is up is for the ledger to say, by its clock. */
  private boolean isOver(Entry entry) {
    return entry.status() == Status.ENTERED && entry.until() <= dialect.nowHere();
  }

  private CompletionStage<Standing> locateInLedger(Reader.Wanted asked) {
    return find(asked.queue())
        .thenCompose(
            found ->
                found.isPresent()
                    ? locateInLedger(found.get(), asked)
                    : CompletableFuture.completedStage(new Standing.NoQueue()));
  }

  private CompletionStage<Standing> locateInLedger(Original of, Reader.Wanted asked) {
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
                    Kind.TIMEOUT, "the line of " + of.queue() + " does not follow its ledger now");
              }
              keeper.mayShow(of, change);
            });
  }
}
