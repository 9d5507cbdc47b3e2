package io.naru.decision;

import io.naru.line.Score;
import io.naru.queue.DrawView;
import io.naru.queue.InvalidValue;
import io.naru.queue.Json;
import io.naru.queue.Lane;
import io.naru.queue.LaneCount;
import io.naru.queue.Lanes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The bands of a line: the lanes of its queue as they stand; in front of them those who came back,
 * and behind them, for each lane, those who have no place in it yet, if any. A line of one band has
 * none here: the queue itself counts its people.
 */
public final class Bands {

  /** Everybody, where there are no lanes. */
  static final int EVERYBODY = 0;

  /** In the text, in front of the name of a lane: those who have no place in it yet. */
  private static final String UNSETTLED = "?";

  /** In the order of the settings. */
  private final List<Band> all = new ArrayList<>(0);

  /** How many tickets were given out in a line of one band. */
  private long tickets;

  /** Those with scores in one band. */
  static final class Band {
    /** Of the lane. */
    final String name;

    final int number;
    long waiting;

    /** Nobody in it has a smaller score. */
    long front;

    /** When its next turn starts, see {@link Turns}; counted from now. */
    long tag;

    /** How many tickets were given out in it. */
    long tickets;

    /** Whoever got a place with its number up to then stood in a lane that is gone. */
    final long since;

    Band(String name, int number, long waiting, long front, long tag, long tickets, long since) {
      this.name = name;
      this.number = number;
      this.waiting = waiting;
      this.front = front;
      this.tag = tag;
      this.tickets = tickets;
      this.since = since;
    }

    boolean isFallback() {
      return number == Score.FALLBACK;
    }

    /** Whether those in it have no place yet; nobody goes in from there. */
    boolean isUnsettled() {
      return Score.isUnsettled(number);
    }

    boolean isLane() {
      return !isFallback() && !isUnsettled();
    }

    /** Whether whoever stood at a score of its number did so in this very lane. */
    private boolean isLaneOf(long score) {
      return isLane() && joined(score) > since;
    }

    private String key() {
      return isUnsettled() ? UNSETTLED + name : name;
    }

    private Band named(String other) {
      return new Band(other, number, waiting, front, tag, tickets, since);
    }

    Needs.Front first(int count) {
      return new Needs.Front(front, (int) Math.min(count, waiting));
    }

    private List<Number> numbers() {
      return since == 0
          ? List.of(number, waiting, front, tag, tickets)
          : List.of(number, waiting, front, tag, tickets, since);
    }

    private Band copy() {
      return new Band(name, number, waiting, front, tag, tickets, since);
    }
  }

  /** The inverse of {@link #text()} and {@link #tickets()}. */
  public static Bands ofText(String text, long tickets) {
    var bands = new Bands();
    bands.tickets = tickets;
    if (!text.isEmpty()) {
      Json.readObject(text)
          .forEach(
              (name, value) -> {
                var numbers = (List<?>) Objects.requireNonNull(value);
                bands.all.add(
                    new Band(
                        name.startsWith(UNSETTLED) ? name.substring(1) : name,
                        (int) number(numbers, 0),
                        number(numbers, 1),
                        number(numbers, 2),
                        number(numbers, 3),
                        // Before tickets were given out, those who waited got the first ones.
                        number(numbers, numbers.size() > 4 ? 4 : 1),
                        numbers.size() > 5 ? number(numbers, 5) : 0));
              });
    }
    return bands;
  }

  /**
   * The same bands without anybody in them, of a queue that comes from another ledger: their people
   * follow.
   *
   * @throws InvalidValue if they are not those of these lanes
   */
  static Bands restored(String text, long tickets, Lanes lanes) {
    Bands bands;
    try {
      bands = ofText(text, tickets);
    } catch (RuntimeException e) {
      throw new InvalidValue("lanes", "those of a queue", "cannot be read");
    }
    List<String> names = bands.all.stream().filter(Band::isLane).map(band -> band.name).toList();
    List<String> expected =
        lanes.isNone()
            ? bands.isOne() ? List.of() : List.of("")
            : lanes.lanes().stream().map(Lane::name).toList();
    long numbers = bands.all.stream().map(band -> band.number).distinct().count();
    boolean inRange =
        bands.all.stream()
            .allMatch(
                b ->
                    b.number >= Score.unsettled(0)
                        && b.number <= Score.unsettled(Score.FIRST_LANE)
                        && (!b.isUnsettled() || bands.find(Score.settled(b.number)) != null));
    if (!names.equals(expected) || numbers != bands.all.size() || !inRange) {
      throw new InvalidValue("lanes", "those of the settings: " + expected, "are " + names);
    }
    bands.all.forEach(
        band -> {
          band.waiting = 0;
          band.front = 0;
        });
    return bands;
  }

  /** Whether anybody can stand at a score. */
  boolean has(long score) {
    int number = Score.lane(score);
    return all.isEmpty() ? number == EVERYBODY : find(number) != null;
  }

  /** Somebody stands where they stood before they came here. */
  void restore(long score) {
    Band band = find(Score.lane(score));
    if (band != null) {
      band.front = band.waiting == 0 ? score : Math.min(band.front, score);
      band.waiting++;
    }
  }

  private static long number(List<?> numbers, int at) {
    return numbers.get(at) instanceof Number number ? number.longValue() : 0;
  }

  /** As one text, for stores; empty for a line of one band. */
  public String text() {
    if (all.isEmpty()) {
      return "";
    }
    Map<String, Object> bands = new LinkedHashMap<>();
    all.forEach(b -> bands.put(b.key(), b.numbers()));
    return Json.write(bands);
  }

  /** How many tickets were given out in a line of one band. */
  public long tickets() {
    return tickets;
  }

  Bands copy() {
    var copy = new Bands();
    copy.tickets = tickets;
    all.forEach(band -> copy.all.add(band.copy()));
    return copy;
  }

  /** Whether all stand in one line, which the queue counts. */
  public boolean isOne() {
    return all.isEmpty();
  }

  List<Band> all() {
    return all;
  }

  public List<LaneCount> counts() {
    return all.stream()
        .map(b -> new LaneCount(b.number, b.name, b.waiting, Turns.whole(b.tag)))
        .toList();
  }

  /** The same of lanes alone: with those who have no place yet, who wait for one there. */
  List<LaneCount> lanes() {
    List<LaneCount> counts = counts().stream().filter(count -> !count.isUnsettled()).toList();
    boolean isOneLane = counts.size() == 1 && counts.getFirst().name().isEmpty();
    return isOneLane
        ? List.of()
        : counts.stream().map(count -> count.plus(unsettled(count.band()))).toList();
  }

  /** How many have no place yet in a lane. */
  private long unsettled(int lane) {
    return waiting(Score.unsettled(lane));
  }

  /** How many have no place yet. */
  long unsettled() {
    long sum = 0;
    for (Band band : all) {
      sum += band.isUnsettled() ? band.waiting : 0;
    }
    return sum;
  }

  /** Those in the lobby, by lane. */
  List<DrawView.OfLane> lobby() {
    if (all.isEmpty()) {
      return List.of(new DrawView.OfLane("", EVERYBODY, 0, 0));
    }
    return all.stream()
        .filter(Band::isLane)
        .map(b -> new DrawView.OfLane(b.name, b.number, unsettled(b.number), 0))
        .toList();
  }

  /** The first of those who have no place yet, of each lane so many. */
  List<Needs.Front> firstUnsettled(int count) {
    return all.stream().filter(Band::isUnsettled).map(band -> band.first(count)).toList();
  }

  /** The band of a lane; that of everybody who is given no other, if there is no such lane. */
  int of(String lane) {
    int last = EVERYBODY;
    for (Band band : all) {
      if (band.isLane()) {
        if (band.name.equals(lane)) {
          return band.number;
        }
        last = band.number;
      }
    }
    return last;
  }

  /**
   * The lane in which somebody who once stood at a score stands again; that of everybody who is
   * given no other, if theirs is gone.
   */
  int again(long score) {
    Band band = find(Score.settled(Score.lane(score)));
    return band != null && band.isLaneOf(score) ? band.number : of("");
  }

  // Asked several times for each who joins, all by the one writer: streams would cost it more than
  // the rest of its decision.
  @Nullable Band find(int number) {
    for (Band band : all) {
      if (band.number == number) {
        return band;
      }
    }
    return null;
  }

  /** The lane of a score, also of one that is no place yet; empty where there are no lanes. */
  String name(long score) {
    Band band = find(Score.settled(Score.lane(score)));
    return band == null ? "" : band.name;
  }

  /** From where on people wait in any of them. */
  private Optional<Band> first(Comparator<Band> order) {
    return all.stream().filter(band -> band.waiting > 0).min(order);
  }

  /** Nobody who waits has a smaller score; {@code otherwise} if nobody does. */
  long front(long otherwise) {
    return first(Comparator.comparingLong(b -> b.front)).map(b -> b.front).orElse(otherwise);
  }

  /** When the one joined who has waited longest, as far as the fronts tell. */
  public long firstJoined(long otherwise) {
    return first(Comparator.comparingLong(Bands::joined)).map(Bands::joined).orElse(otherwise);
  }

  private static long joined(Band band) {
    return joined(band.front);
  }

  private static long joined(long front) {
    return front - Score.laneFrom(front);
  }

  /**
   * When the first of those who came back did, or a little before; {@code NEVER} if nobody did. Of
   * those who were passed over and are away another rule says when their wait is over.
   */
  long returnedAt(QueueState queue) {
    Band band = find(Score.FALLBACK);
    if (band == null) {
      return QueueState.NEVER;
    }
    if (queue.presence != null && queue.presence.back(band.number) > 0) {
      return joined(queue.presence.firstBack(band.number));
    }
    return band.waiting == queue.passed(band.number)
        ? QueueState.NEVER
        : joined(queue.turn(band.number, band.front));
  }

  /** How many wait in a band. */
  long waiting(int number) {
    Band band = find(number);
    return band == null ? 0 : band.waiting;
  }

  /**
   * Somebody comes to the end of a band, whom the queue does not count yet; says their ticket. Who
   * has no place yet has none, and may have joined before others there.
   */
  long add(long score, QueueState queue) {
    int number = Score.lane(score);
    if (all.isEmpty()) {
      if (number == EVERYBODY) {
        return ++tickets;
      }
      all.add(everybody(queue));
    }
    Band band = find(number);
    if (band == null) {
      band = newBand(number, score);
    }
    if (band.waiting == 0) {
      band.front = score;
      // One that was empty has saved nothing up, and owes nothing.
      band.tag = 0;
    }
    band.front = Math.min(band.front, score);
    band.waiting++;
    return band.isUnsettled() ? 0 : ++band.tickets;
  }

  private Band newBand(int number, long score) {
    if (!Score.isUnsettled(number)) {
      var fallback = new Band(Lanes.FALLBACK, Score.FALLBACK, 0, score, 0, 0, 0);
      all.addFirst(fallback);
      return fallback;
    }
    Band lane = Objects.requireNonNull(find(Score.settled(number)));
    var unsettled = new Band(lane.name, number, 0, score, 0, 0, 0);
    all.addLast(unsettled);
    return unsettled;
  }

  private Band everybody(QueueState queue) {
    // Others may have stood before them, and are gone.
    long front = Math.max(queue.frontScore, Score.inBand(EVERYBODY, 0));
    return new Band("", EVERYBODY, queue.waiting, front, 0, tickets, 0);
  }

  /** Somebody left the line. */
  void remove(long score) {
    Band band = find(Score.lane(score));
    if (band != null) {
      band.waiting--;
    }
    tidy();
  }

  /** Nobody is kept in mind who came back and is gone, or who has a place now. */
  void tidy() {
    all.removeIf(band -> !band.isLane() && band.waiting == 0);
    if (all.size() == 1 && all.getFirst().name.isEmpty()) {
      tickets = all.getFirst().tickets;
      all.clear();
    }
  }

  /** A lane that {@code next} does not have, in which people wait; null if there is none. */
  @Nullable Band occupied(Lanes next) {
    for (Band band : all) {
      boolean stays =
          band.isFallback()
              || next.share(band.name) > 0
              || band.name.isEmpty()
              || (next.isNone() && Score.settled(band.number) == EVERYBODY);
      if (band.waiting > 0 && !stays) {
        return band;
      }
    }
    return null;
  }

  /** Other lanes, or other shares; nobody waits in a lane that is not among them. */
  void edit(Lanes before, Lanes next, QueueState queue) {
    if (before.equals(next)) {
      return;
    }
    List<Band> old = new ArrayList<>(all);
    if (old.isEmpty()) {
      old.add(everybody(queue));
    }
    all.clear();
    old.stream().filter(Band::isFallback).forEach(all::add);
    List<Band> unsettled = old.stream().filter(Band::isUnsettled).toList();
    old.removeAll(unsettled);
    if (next.isNone()) {
      old.stream()
          .filter(band -> band.number == EVERYBODY)
          .forEach(b -> all.add(new Band("", EVERYBODY, b.waiting, b.front, 0, b.tickets, 0)));
      if (all.stream().noneMatch(band -> band.number == EVERYBODY)) {
        all.add(new Band("", EVERYBODY, 0, 0, 0, 0, 0));
      }
      unsettled.forEach(band -> all.add(band.named("")));
      tidy();
      return;
    }
    Map<String, Band> kept = new LinkedHashMap<>();
    for (Band band : old) {
      // Those who stood in the one line stand where everybody does who is given no other lane.
      String name = band.name.isEmpty() ? next.lanes().getLast().name() : band.name;
      if (!band.isFallback() && next.share(name) > 0) {
        long tag = Turns.rescaled(band.tag, name, before, next);
        kept.put(
            name,
            new Band(name, band.number, band.waiting, band.front, tag, band.tickets, band.since));
      }
    }
    Set<Integer> used = new HashSet<>();
    kept.values().forEach(band -> used.add(band.number));
    // The last one first: those stand in it who do in a queue without lanes.
    for (Lane lane : next.lanes().reversed()) {
      kept.computeIfAbsent(
          lane.name(), name -> new Band(name, free(used), 0, 0, 0, 0, queue.lastJoined));
    }
    next.lanes().forEach(lane -> all.add(Optional.ofNullable(kept.get(lane.name())).orElseThrow()));
    for (Band band : unsettled) {
      Band lane = Objects.requireNonNull(find(Score.settled(band.number)));
      all.add(band.named(lane.name));
    }
  }

  /**
   * Who must be read so that so many can go in: of each band as many as its turns will be, and one
   * more, to know who is first then. Known before anything is read, since the counts are.
   *
   * @param leaving so many may leave before, from any band
   */
  List<Needs.Front> plan(int wanted, int leaving, QueueState queue) {
    Map<Integer, Integer> taken = new HashMap<>();
    Bands present = copy();
    present.all.forEach(band -> band.waiting -= queue.absent(band.number));
    var turns = new Turns(present, queue.settings.lanes());
    Band next = turns.take();
    for (int i = 0; i < wanted + leaving && next != null; i++) {
      taken.merge(next.number, 1, Integer::sum);
      next = turns.take();
    }
    return all.stream()
        .filter(band -> taken.containsKey(band.number))
        .map(band -> next(band, taken.getOrDefault(band.number, 0) + 1 + leaving, queue))
        .toList();
  }

  /** Those of a band who were not passed over; of the others it is known who they are. */
  private static Needs.Front next(Band band, int count, QueueState queue) {
    long others = band.waiting - queue.passed(band.number);
    return new Needs.Front(queue.turn(band.number, band.front), (int) Math.min(count, others));
  }

  /** The first of all by their scores, whosever turn it is. */
  List<Needs.Front> first(int wanted) {
    List<Needs.Front> fronts = new ArrayList<>();
    int left = wanted;
    for (Band band : byScore()) {
      if (left > 0 && band.waiting > 0) {
        Needs.Front front = band.first(left);
        fronts.add(front);
        left -= front.count();
      }
    }
    return fronts;
  }

  private List<Band> byScore() {
    return all.stream().sorted(Comparator.comparingInt(band -> band.number)).toList();
  }

  private static int free(Set<Integer> used) {
    int number = EVERYBODY;
    for (int i = Score.FIRST_LANE; used.contains(number); i++) {
      number = i;
    }
    used.add(number);
    return number;
  }
}
