package io.naru.memory;

import static java.util.concurrent.CompletableFuture.completedFuture;
import static java.util.concurrent.CompletableFuture.failedFuture;

import io.naru.line.Change;
import io.naru.line.CopyState;
import io.naru.line.Departures;
import io.naru.line.Fact;
import io.naru.line.LineCopy;
import io.naru.line.Moved;
import io.naru.line.Original;
import io.naru.line.RecentMoves;
import io.naru.line.Rules;
import io.naru.line.Standing;
import io.naru.queue.Entry;
import io.naru.queue.LineState;
import io.naru.queue.Place;
import io.naru.queue.QueueId;
import io.naru.queue.Settings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/** The copy in this process, for a ledger that this server has for itself. */
public final class MemoryCopy implements LineCopy {

  private final Map<QueueId, Copy> copies = new ConcurrentHashMap<>();

  /** One queue. Every method is one atomic step under the copy's lock. */
  private static final class Copy {
    private final Original of;
    private final MemoryLine line = new MemoryLine();
    private final Map<String, Entry> inside = new HashMap<>();
    private final List<Long> leaving = new ArrayList<>();
    private int leavingFront;
    private RecentMoves moves = new RecentMoves(0);
    private Rules rules = new Rules(Settings.DEFAULT, false);
    private long change;
    private int parts;
    private boolean isFinished;

    Copy(Original of) {
      this.of = of;
    }

    synchronized CopyState apply(Change next) {
      if (next.from() != change) {
        return new CopyState.At(change);
      }
      next.facts().forEach(this::put);
      moves.add(change, next.to(), departures());
      change = next.to();
      rules = next.rules() == null ? rules : next.rules();
      return isWhole(next.waiting(), next.inside()) ? state() : new CopyState.Lost();
    }

    /** What comes late must not touch a copy that is in use. */
    synchronized boolean add(int number, List<Fact> some) {
      if (isFinished || number != parts + 1) {
        return false;
      }
      parts = number;
      some.forEach(this::put);
      return true;
    }

    synchronized void close() {
      isFinished = true;
    }

    private void put(Fact fact) {
      String user = fact.user();
      line.scoreOf(user).ifPresent(score -> takeOut(user, score));
      inside.remove(user);
      switch (fact.status()) {
        case WAITING -> line.join(user, fact.score());
        case ENTERED -> inside.put(user, fact.in(of.queue()));
        case COMPLETED, EXPIRED, LEFT -> {}
      }
    }

    private void takeOut(String user, long score) {
      if (line.ahead(user) == 0) {
        leavingFront++;
      } else {
        leaving.add(score);
      }
      line.leave(user);
    }

    private Departures departures() {
      long[] out = leaving.stream().mapToLong(Long::longValue).toArray();
      var left = Departures.of(leavingFront, out);
      leaving.clear();
      leavingFront = 0;
      return left;
    }

    synchronized boolean finish(long newChange, long waiting, long in, Rules newRules) {
      if (isFinished) {
        return false;
      }
      isFinished = true;
      change = newChange;
      rules = newRules;
      moves = new RecentMoves(newChange);
      leaving.clear();
      leavingFront = 0;
      return isWhole(waiting, in);
    }

    private boolean isWhole(long waiting, long in) {
      return line.size() == waiting && inside.size() == in;
    }

    synchronized CopyState state() {
      return new CopyState.At(change);
    }

    synchronized Standing locate(String user) {
      int ahead = line.ahead(user);
      if (ahead >= 0) {
        long score = line.scoreOf(user).orElseThrow();
        Entry entry = Fact.waiting(user, score).in(of.queue());
        return new Standing.Found(new Place(entry, ahead, lineState()));
      }
      Entry in = inside.get(user);
      return in == null
          ? new Standing.Unknown()
          : new Standing.Found(new Place(in, 0, lineState()));
    }

    synchronized Moved since(long then) {
      return moves.since(then, lineState());
    }

    private LineState lineState() {
      return new LineState(change, line.size(), rules.active(), rules.settings());
    }
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
          long change, long waiting, long inside, Rules rules) {
        if (made.finish(change, waiting, inside, rules)) {
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
