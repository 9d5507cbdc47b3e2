package io.naru.memory;

import static java.util.concurrent.CompletableFuture.completedFuture;
import static java.util.concurrent.CompletableFuture.failedFuture;

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
import io.naru.queue.LaneCount;
import io.naru.queue.QueueId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The copy in this process. Other servers of the same ledger have their own, and none of them sees
 * into another's.
 */
public final class MemoryCopy implements LineCopy {

  private final Map<QueueId, Copy> copies = new ConcurrentHashMap<>();

  /** One queue. Every method is one atomic step under the copy's lock. */
  private static final class Copy {
    private final Original of;
    private final MovingLine line;
    private int parts;
    private boolean isFinished;

    Copy(Original of) {
      this.of = of;
      this.line = new MovingLine(of.queue());
    }

    synchronized CopyState apply(Change next) {
      boolean isNext = next.from() == line.change() && next.to() >= next.from();
      return !isNext || line.apply(next) ? state() : new CopyState.Lost();
    }

    /** What comes late must not touch a copy that is in use. */
    synchronized boolean add(int number, List<Fact> some) {
      if (isFinished || number != parts + 1) {
        return false;
      }
      parts = number;
      some.forEach(line::put);
      return true;
    }

    synchronized void close() {
      isFinished = true;
    }

    synchronized boolean finish(
        long change, long waiting, List<LaneCount> lanes, long inside, Rules rules) {
      if (isFinished) {
        return false;
      }
      isFinished = true;
      return line.begin(change, waiting, lanes, inside, rules);
    }

    synchronized CopyState state() {
      return new CopyState.At(line.change());
    }

    synchronized Standing locate(String user) {
      return line.locate(user);
    }

    synchronized Held held(Part part, int limit) {
      return line.held(part, limit);
    }

    synchronized Moved since(long then) {
      return line.since(then);
    }

    synchronized Tickets tickets() {
      return line.tickets();
    }

    synchronized Tile tile(Tile.Block block) {
      return line.tile(block);
    }
  }

  @Override
  public boolean isOwn() {
    return true;
  }

  @Override
  public CompletionStage<Standing> locate(Original of, String user) {
    Copy copy = copies.get(of.queue());
    return completedFuture(
        copy == null || !copy.of.equals(of) ? new Standing.NoQueue() : copy.locate(user));
  }

  @Override
  public CompletionStage<Moved> since(Original of, long change) {
    Copy copy = copies.get(of.queue());
    return completedFuture(
        copy == null || !copy.of.equals(of) ? new Moved.Gap() : copy.since(change));
  }

  @Override
  public CompletionStage<Optional<Tickets>> tickets(Original of) {
    return completedFuture(find(of).map(Copy::tickets));
  }

  @Override
  public CompletionStage<Optional<Tile>> tile(Original of, Tile.Block block) {
    return completedFuture(find(of).map(copy -> copy.tile(block)));
  }

  private Optional<Copy> find(Original of) {
    return Optional.ofNullable(copies.get(of.queue())).filter(copy -> copy.of.equals(of));
  }

  @Override
  public CompletionStage<CopyState> apply(Original of, Change change) {
    if (change.from() == 0) {
      // Before its first change a queue was empty, and so is its copy.
      copies.putIfAbsent(of.queue(), new Copy(of));
    }
    Copy copy = copies.get(of.queue());
    if (copy == null || !copy.of.equals(of)) {
      return completedFuture(new CopyState.Lost());
    }
    CopyState state = copy.apply(change);
    if (state instanceof CopyState.Lost) {
      copies.remove(of.queue(), copy);
    }
    return completedFuture(state);
  }

  @Override
  public CompletionStage<CopyState> state(Original of) {
    return completedFuture(stateOf(of));
  }

  private CopyState stateOf(Original of) {
    Copy copy = copies.get(of.queue());
    return copy == null || !copy.of.equals(of) ? new CopyState.Lost() : copy.state();
  }

  @Override
  public CompletionStage<Optional<Held>> held(Original of, Part part, int limit) {
    return completedFuture(find(of).map(copy -> copy.held(part, limit)));
  }

  @Override
  public Rebuild rebuild(Original of) {
    var made = new Copy(of);
    return new Rebuild() {
      @Override
      public CompletionStage<?> add(int number, List<Fact> some) {
        return made.add(number, some)
            ? completedFuture(null)
            : failedFuture(new IllegalStateException("part " + number + " is not the next"));
      }

      @Override
      public CompletionStage<CopyState> finish(
          long change, long waiting, List<LaneCount> lanes, long inside, Rules rules) {
        if (made.finish(change, waiting, lanes, inside, rules)) {
          copies.merge(of.queue(), made, MemoryCopy::newer);
        }
        return completedFuture(stateOf(of));
      }

      @Override
      public CompletionStage<?> abandon() {
        made.close();
        return completedFuture(null);
      }
    };
  }

  private static Copy newer(Copy present, Copy made) {
    boolean isPresentNewer =
        present.of.equals(made.of)
            && present.state() instanceof CopyState.At(long there)
            && made.state() instanceof CopyState.At(long here)
            && there > here;
    return isPresentNewer ? present : made;
  }

  @Override
  public CompletionStage<?> drop(QueueId queue) {
    copies.remove(queue);
    return completedFuture(null);
  }
}
