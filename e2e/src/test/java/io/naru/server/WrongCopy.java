package io.naru.server;

import io.naru.line.Change;
import io.naru.line.CopyState;
import io.naru.line.Held;
import io.naru.line.LineCopy;
import io.naru.line.Moved;
import io.naru.line.Original;
import io.naru.line.Part;
import io.naru.line.Standing;
import io.naru.line.Tickets;
import io.naru.line.Tile;
import io.naru.queue.QueueId;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Takes a change for applied without looking at the number that the copy is at. One in twenty is
 * lost on the way, as with a Redis that fails over, and nobody hears of it.
 */
final class WrongCopy implements LineCopy {

  static final String APPLY_WITHOUT_NUMBER = "apply-without-number";

  private final LineCopy right;
  private final Map<QueueId, CopyState> claimed = new ConcurrentHashMap<>();

  WrongCopy(LineCopy right) {
    this.right = right;
  }

  private static boolean isWrong(Original of) {
    return of.queue().id().equals(APPLY_WITHOUT_NUMBER);
  }

  @Override
  public CompletionStage<CopyState> apply(Original of, Change change) {
    if (!isWrong(of)) {
      return right.apply(of, change);
    }
    CopyState claim = new CopyState.At(change.to());
    claimed.put(of.queue(), claim);
    return change.to() % 20 == 0
        ? CompletableFuture.completedStage(claim)
        : right.apply(of, change).handle((_, _) -> claim);
  }

  @Override
  public CompletionStage<CopyState> state(Original of) {
    CopyState claim = claimed.get(of.queue());
    return claim == null ? right.state(of) : CompletableFuture.completedStage(claim);
  }

  @Override
  public CompletionStage<Standing> locate(Original of, String user) {
    return right.locate(of, user);
  }

  @Override
  public CompletionStage<Moved> since(Original of, long change) {
    return right.since(of, change);
  }

  @Override
  public CompletionStage<Optional<Tickets>> tickets(Original of) {
    return right.tickets(of);
  }

  @Override
  public CompletionStage<Optional<Tile>> tile(Original of, Tile.Block block) {
    return right.tile(of, block);
  }

  @Override
  public CompletionStage<Optional<Held>> held(Original of, Part part, int limit) {
    return right.held(of, part, limit);
  }

  @Override
  public Rebuild rebuild(Original of) {
    return right.rebuild(of);
  }

  @Override
  public CompletionStage<?> drop(QueueId queue) {
    return right.drop(queue);
  }
}
