package io.naru.ledger.copies;

import static java.util.concurrent.CompletableFuture.completedStage;

import io.naru.line.Change;
import io.naru.line.CopyState;
import io.naru.line.Fact;
import io.naru.line.Held;
import io.naru.line.LineCopy;
import io.naru.line.Moved;
import io.naru.line.Original;
import io.naru.line.Part;
import io.naru.line.Rules;
import io.naru.line.Standing;
import io.naru.line.Tickets;
import io.naru.line.Tile;
import io.naru.memory.MemoryLine;
import io.naru.queue.Entry.Status;
import io.naru.queue.LaneCount;
import io.naru.queue.LineState;
import io.naru.queue.Place;
import io.naru.queue.QueueId;
import io.naru.queue.Settings;
import io.naru.queue.State;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** A copy that takes any change at any time and never counts: wrong on purpose. */
final class LooseCopy implements LineCopy {

  private MemoryLine line = new MemoryLine();
  private long change;

  @Override
  public CompletionStage<Standing> locate(Original of, String user) {
    Fact fact = line.find(user);
    if (fact == null) {
      return completedStage(new Standing.Unknown());
    }
    var state = new LineState(change, line.size(), 1, State.OPEN, Settings.DEFAULT);
    return completedStage(
        new Standing.Found(
            new Place(fact.in(of.queue()), fact.score(), line.ahead(user), fact.ticket(), state)));
  }

  @Override
  public CompletionStage<Moved> since(Original of, long then) {
    return completedStage(new Moved.Gap());
  }

  @Override
  public CompletionStage<Optional<Tickets>> tickets(Original of) {
    return completedStage(Optional.empty());
  }

  @Override
  public CompletionStage<Optional<Tile>> tile(Original of, Tile.Block block) {
    return completedStage(Optional.empty());
  }

  @Override
  public CompletionStage<CopyState> apply(Original of, Change next) {
    put(next.facts());
    change = next.to();
    return state(of);
  }

  private void put(List<Fact> facts) {
    for (Fact fact : facts) {
      line.leave(fact.user());
      if (fact.status() == Status.WAITING) {
        line.join(fact);
      }
    }
  }

  @Override
  public CompletionStage<CopyState> state(Original of) {
    return completedStage(new CopyState.At(change));
  }

  @Override
  public CompletionStage<Optional<Held>> held(Original of, Part part, int limit) {
    return completedStage(Optional.empty());
  }

  @Override
  public Rebuild rebuild(Original of) {
    return new Rebuild() {
      @Override
      public CompletionStage<?> add(int number, List<Fact> some) {
        put(some);
        return completedStage(true);
      }

      @Override
      public CompletionStage<CopyState> finish(
          long at, long waiting, List<LaneCount> lanes, long inside, Rules rules) {
        change = at;
        return state(of);
      }

      @Override
      public CompletionStage<?> abandon() {
        return completedStage(true);
      }
    };
  }

  @Override
  public CompletionStage<?> drop(QueueId queue) {
    line = new MemoryLine();
    change = 0;
    return completedStage(true);
  }
}
