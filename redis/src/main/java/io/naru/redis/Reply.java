package io.naru.redis;

import io.naru.line.Departures;
import io.naru.line.Move;
import io.naru.line.Moved;
import io.naru.line.OverTurn;
import io.naru.line.Score;
import io.naru.line.Standing;
import io.naru.line.Tickets;
import io.naru.line.Tile;
import io.naru.queue.Drawing;
import io.naru.queue.Entry;
import io.naru.queue.Entry.Status;
import io.naru.queue.EntryKey;
import io.naru.queue.LaneCount;
import io.naru.queue.LineState;
import io.naru.queue.Place;
import io.naru.queue.QueueId;
import io.naru.queue.Settings;
import io.naru.queue.State;
import io.naru.queue.Units;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads a script's flat reply from front to back. */
public final class Reply {

  private final List<Object> values;
  private int next;

  public Reply(List<Object> values) {
    this.values = values;
  }

  public boolean isEmpty() {
    return values.isEmpty();
  }

  public boolean hasNext() {
    return next < values.size();
  }

  public long number() {
    return (Long) values.get(next++);
  }

  public int smallNumber() {
    return Math.toIntExact(number());
  }

  public String text() {
    return (String) values.get(next++);
  }

  /** What is the same for everybody in a queue. */
  public LineState line() {
    long change = number();
    long waiting = number();
    long version = number();
    List<LaneCount> lanes = LaneCount.ofText(text());
    String said = text();
    String stands = Drawing.behind(said);
    return new LineState(
        change,
        waiting,
        lanes,
        version,
        stateOf(stands),
        Settings.ofText(text()),
        Units.ofText(Passed.behind(stands)),
        Passed.ofText(stands),
        Drawing.ofText(said));
  }

  /** Where Redis decides, a queue is active or not, and nothing else. */
  public static State stateOf(String stands) {
    return switch (stands) {
      case "1" -> State.OPEN;
      case "0" -> State.INACTIVE;
      default -> State.ofText(Units.behind(Passed.behind(stands)));
    };
  }

  /** What {@code since.lua} says. */
  public Moved moved() {
    if (isEmpty()) {
      return new Moved.Gap();
    }
    LineState line = line();
    List<Move> moves = new ArrayList<>();
    while (hasNext()) {
      long from = number();
      if (from < 0) {
        return from == -1 ? new Moved.Gap() : new Moved.Older();
      }
      moves.add(new Move(from, number(), departures()));
    }
    return new Moved.Steps(line, moves);
  }

  private Departures departures() {
    Object front = values.get(next++);
    if (front instanceof Long count) {
      return departures(count == 0 ? Map.of() : Map.of(0, count), text());
    }
    Map<Integer, Long> fronts = new HashMap<>();
    for (String lane : ((String) front).split(";", -1)) {
      int blank = lane.indexOf(' ');
      fronts.put(
          Integer.valueOf(lane.substring(0, blank)), Long.valueOf(lane.substring(blank + 1)));
    }
    return departures(fronts, text());
  }

  private static Departures departures(Map<Integer, Long> fronts, String out) {
    if (out.isEmpty()) {
      return Departures.of(fronts);
    }
    String[] scores = out.split(" ", -1);
    return Departures.of(
        fronts,
        Arrays.stream(scores).filter(s -> !s.startsWith("=")).mapToLong(Long::parseLong).toArray(),
        Arrays.stream(scores)
            .filter(s -> s.startsWith("="))
            .mapToLong(s -> Long.parseLong(s.substring(1)))
            .toArray());
  }

  /** One of what {@code over.lua} tells. */
  public OverTurn overTurn(QueueId queue) {
    long change = number();
    long joined = number();
    long entered = number();
    long until = number();
    var key = new EntryKey(queue, text(), joined);
    return new OverTurn(new Entry(key, Status.ENTERED, entered, until), change);
  }

  /** What {@code locate.lua}, {@code earlier.lua} and {@code sight.lua} say of one user. */
  public Standing standing(QueueId queue, String user, int status, LineState line) {
    return switch (status) {
      case 0 -> new Standing.Unknown();
      case 1 -> new Standing.Found(waiting(queue, user, line));
      case 2 -> new Standing.Found(beyond(queue, user, Status.ENTERED, line));
      case 3 -> new Standing.Found(beyond(queue, user, Status.COMPLETED, line));
      case 4 -> new Standing.Found(beyond(queue, user, Status.EXPIRED, line));
      case 5 -> new Standing.Found(apart(queue, user, line));
      case 6 -> new Standing.Found(ticketed(queue, user, line));
      default -> throw new IllegalStateException("a script answered with status " + status);
    };
  }

  /** The place of somebody whose score does not tell when they joined. */
  private Place apart(QueueId queue, String user, LineState line) {
    long ticket = number();
    long ahead = number();
    long score = number();
    var entry = Entry.waiting(new EntryKey(queue, user, number()));
    return new Place(entry, score, ahead, ticket, line);
  }

  /** The place of somebody in a line that counts tickets. */
  private Place ticketed(QueueId queue, String user, LineState line) {
    long ticket = number();
    Place place = waiting(queue, user, line);
    return new Place(place.entry(), place.score(), place.ahead(), ticket, line);
  }

  /** What {@code board.lua} says. */
  public Tickets tickets() {
    LineState line = line();
    int block = smallNumber();
    List<Tickets.OfLane> lanes = new ArrayList<>();
    while (hasNext()) {
      Tickets.Range range = range(smallNumber());
      List<Integer> gone = new ArrayList<>();
      for (long i = range.blocks(block); i > 0; i--) {
        gone.add(smallNumber());
      }
      lanes.add(new Tickets.OfLane(range, gone));
    }
    return new Tickets(line, block, lanes);
  }

  private Tickets.Range range(int band) {
    return new Tickets.Range(band, number(), number());
  }

  /** What {@code tile.lua} says. */
  public Tile tile(int band) {
    long change = number();
    Tickets.Range range = range(band);
    List<Long> gone = new ArrayList<>();
    while (hasNext()) {
      gone.add(number());
    }
    return new Tile(change, range, gone);
  }

  /** The place of somebody in line. */
  public Place waiting(QueueId queue, String user, LineState line) {
    long ahead = number();
    long score = number();
    long joined = score - Score.laneFrom(score);
    return new Place(Entry.waiting(new EntryKey(queue, user, joined)), score, ahead, 0, line);
  }

  /** The place of somebody who is or was inside. */
  public Place beyond(QueueId queue, String user, Status status, LineState line) {
    var key = new EntryKey(queue, user, number());
    return Place.beyond(new Entry(key, status, number(), number()), line);
  }
}
