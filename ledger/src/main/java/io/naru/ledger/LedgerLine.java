package io.naru.ledger;

import io.naru.batch.BatchObserver;
import io.naru.batch.NaturalBatch;
import io.naru.line.Line;
import io.naru.line.LineCopy;
import io.naru.line.Moved;
import io.naru.line.Original;
import io.naru.line.Standing;
import io.naru.queue.Entry;
import io.naru.queue.EntryKey;
import io.naru.queue.QueueId;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Where one stands, read from the copy. What the copy cannot say, because it is away, behind, being
 * healed, or because it holds only those who wait or are inside, the ledger does; so nobody hears
 * wrongly that they are unknown, and nobody sees a place of an older state than they were shown.
 */
final class LedgerLine implements Line {

  private static final int MAX_BATCH = 512;
  private static final int MAX_PENDING = 65_536;

  private final LineCopy copy;
  private final Keeper keeper;
  private final Dialect dialect;
  private final Tallies tallies;
  private final NaturalBatch<Reader.Asked, Standing> ledger;

  LedgerLine(
      LineCopy copy,
      Keeper keeper,
      Reader reader,
      Tallies tallies,
      Dialect dialect,
      Background background,
      BatchObserver observer) {
    this.copy = copy;
    this.keeper = keeper;
    this.dialect = dialect;
    this.tallies = tallies;
    this.ledger =
        new NaturalBatch<>(
            "places",
            MAX_BATCH,
            MAX_PENDING,
            observer,
            asked -> background.call("count places", () -> reader.locate(asked, tallies)));
  }

  @Override
  public CompletionStage<Standing> locate(QueueId queue, String user) {
    Original of = keeper.original(queue);
    if (of == null || !keeper.isFollowing(of)) {
      return locateInLedger(of, new Reader.Asked(queue, user, Reader.Asked.LATEST));
    }
    var answer = new CompletableFuture<Standing>();
    copy.locate(of, user)
        .whenComplete(
            (standing, failure) -> {
              if (standing instanceof Standing.Found(var place)
                  && !isOver(place.entry())
                  && keeper.mayShow(of, place.line().change())) {
                answer.complete(standing);
                return;
              }
              if (failure != null || standing instanceof Standing.NoQueue) {
                keeper.doubt(of);
              }
              locateInLedger(of, new Reader.Asked(queue, user, Reader.Asked.LATEST))
                  .whenComplete(
                      (counted, ledgerFailure) -> {
                        if (ledgerFailure == null) {
                          answer.complete(counted);
                        } else {
                          answer.completeExceptionally(ledgerFailure);
                        }
                      });
            });
    return answer;
  }

  /** A copy knows nobody's earlier entries. */
  @Override
  public CompletionStage<Standing> earlier(EntryKey entry) {
    QueueId queue = entry.queue();
    return locateInLedger(
        keeper.original(queue), new Reader.Asked(queue, entry.user(), entry.joined()));
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

  /** Whether somebody's time inside is up is for the ledger to say, by its clock. */
  private boolean isOver(Entry entry) {
    return !entry.isWaiting() && entry.until() <= dialect.nowHere();
  }

  private CompletionStage<Standing> locateInLedger(@Nullable Original of, Reader.Asked asked) {
    if (of == null) {
      return ledger.submit(asked);
    }
    CompletionStage<Standing> counted =
        keeper.isFollowing(of)
            ? ledger.submit(asked)
            : tallies.prepared(of).thenCompose(_ -> ledger.submit(asked));
    return counted.thenApply(
        standing -> {
          if (standing instanceof Standing.Found(var place)) {
            keeper.mayShow(of, place.line().change());
          }
          return standing;
        });
  }
}
