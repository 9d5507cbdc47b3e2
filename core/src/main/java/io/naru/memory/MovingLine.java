package io.naru.memory;

import io.naru.line.Change;
import io.naru.line.Departures;
import io.naru.line.Fact;
import io.naru.line.Held;
import io.naru.line.Moved;
import io.naru.line.Part;
import io.naru.line.RecentMoves;
import io.naru.line.Rules;
import io.naru.line.Score;
import io.naru.line.Standing;
import io.naru.line.Tickets;
import io.naru.line.Tile;
import io.naru.queue.LaneCount;
import io.naru.queue.LineState;
import io.naru.queue.Place;
import io.naru.queue.QueueId;
import io.naru.queue.Settings;
import io.naru.queue.State;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Those who wait in one queue and those who are inside, moved on change by change, and who left
 * lately. Not thread-safe: its owner holds a lock.
 */
final class MovingLine {

  private final QueueId queue;
  private final MemoryLine line = new MemoryLine();
  private final Map<String, Fact> inside = new HashMap<>();

  /** Who left since the last change, from the front of which lane and from the middle. */
  private final Map<Integer, Long> leavingFront = new HashMap<>();

  private final List<Long> leaving = new ArrayList<>();

  /** Which of them have another holder of their place. */
  private final List<Long> taken = new ArrayList<>();

  /** Where those stand after the change under way who did not join there. */
  private final Set<Long> takenOver = new HashSet<>();

  private RecentMoves moves = new RecentMoves(0);
  private Rules rules = new Rules(0, State.INACTIVE, Settings.DEFAULT);
  private List<LaneCount> lanes = List.of();
  private long change;

  MovingLine(QueueId queue) {
    this.queue = queue;
  }

  long change() {
    return change;
  }

  /** The first in line, in order. */
  List<Fact> first(int count) {
    return line.first(count);
  }

  /** The first in line from a score on, in order. */
  List<Fact> from(long score, int count) {
    return line.between(score - 1, Long.MAX_VALUE, count);
  }

  /** The first who wait in a part of it, in order. */
  List<Fact> between(Part part, int count) {
    return line.between(part.after(), part.upTo(), count);
  }

  /** Goes on to {@code next.to}; false if it does not add up then. */
  boolean apply(Change next) {
    next.facts().stream().filter(Fact::isApart).forEach(fact -> takenOver.add(fact.score()));
    next.facts().forEach(this::put);
    takenOver.clear();
    moves.add(change, next.to(), departures());
    change = next.to();
    lanes = next.lanes();
    rules = next.rules() == null ? rules : next.rules();
    return isWhole(next.waiting(), next.inside());
  }

  /** Takes an entry as it stands: who waits or is inside gets that place, who has ended goes. */
  void put(Fact fact) {
    String user = fact.user();
    Fact before = line.find(user);
    if (before != null) {
      takeOut(before);
    }
    inside.remove(user);
    switch (fact.status()) {
      case WAITING -> line.join(fact);
      case ENTERED -> inside.put(user, fact);
      case COMPLETED, EXPIRED, LEFT -> {}
    }
  }

  private void takeOut(Fact waiting) {
    if (takenOver.contains(waiting.score())) {
      // Somebody else has the very place with the same change: nobody moves.
      taken.add(waiting.score());
      line.leave(waiting.user());
      return;
    }
    if (ahead(waiting) == 0) {
      leavingFront.merge(Score.lane(waiting.score()), 1L, Long::sum);
    } else {
      leaving.add(waiting.score());
    }
    line.leave(waiting.user());
  }

  /** How many wait before somebody in their lane. */
  private int ahead(Fact waiting) {
    return line.ahead(waiting.user()) - line.before(Score.laneFrom(waiting.score()));
  }

  private Departures departures() {
    var left = Departures.of(Map.copyOf(leavingFront), array(leaving), array(taken));
    leaving.clear();
    taken.clear();
    leavingFront.clear();
    return left;
  }

  private static long[] array(List<Long> scores) {
    return scores.stream().mapToLong(Long::longValue).toArray();
  }

  /** What was put in so far is the state at this change; false if it does not add up. */
  boolean begin(long at, long waiting, List<LaneCount> inLanes, long in, Rules then) {
    change = at;
    lanes = inLanes;
    rules = then;
    moves = new RecentMoves(at);
    leaving.clear();
    taken.clear();
    leavingFront.clear();
    return isWhole(waiting, in);
  }

  private boolean isWhole(long waiting, long in) {
    return line.size() == waiting && inside.size() == in;
  }

  Standing locate(String user) {
    Fact waiting = line.find(user);
    if (waiting != null) {
      return new Standing.Found(
          new Place(waiting.in(queue), waiting.score(), ahead(waiting), waiting.ticket(), state()));
    }
    Fact in = inside.get(user);
    return in == null
        ? new Standing.Unknown()
        : new Standing.Found(Place.beyond(in.in(queue), state()));
  }

  Held held(Part part, int limit) {
    List<Fact> facts =
        part.isInside()
            ? inside.values().stream()
                .filter(part::contains)
                .sorted(Part.ORDER)
                .limit(limit)
                .toList()
            : line.between(part.after(), part.upTo(), limit);
    return new Held(change, facts.stream().map(Part::known).toList());
  }

  Tickets tickets() {
    List<Tickets.Range> ranges =
        lanes.isEmpty()
            ? List.of(range(0))
            : lanes.stream()
                .filter(lane -> !lane.isUnsettled())
                .map(lane -> range(lane.band()))
                .toList();
    return Tickets.of(state(), ranges, line::beforeTicket);
  }

  private Tickets.Range range(int band) {
    long from = band * Score.BAND_MICROS;
    Fact first = line.firstFrom(from);
    Fact last = line.lastBefore(from + Score.BAND_MICROS);
    return first == null || last == null || first.score() > last.score()
        ? Tickets.Range.empty(band)
        : new Tickets.Range(band, first.ticket(), last.ticket());
  }

  Tile tile(Tile.Block block) {
    Tickets.Range range = range(block.band());
    int first = line.beforeTicket(block.band(), block.from());
    int end = line.beforeTicket(block.band(), block.upTo());
    return Tile.of(change, range, block, line.tickets(first, end));
  }

  Moved since(long then) {
    return moves.since(then, state());
  }

  LineState state() {
    return new LineState(
        change,
        line.size(),
        lanes,
        rules.version(),
        rules.state(),
        rules.settings(),
        rules.units(),
        rules.passedOver(),
        rules.drawing());
  }
}
