package io.naru.bench.viewers;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import org.HdrHistogram.Histogram;

/**
 * What viewers were shown, and when: columns of numbers, since there may be a million lines of it.
 * Times are those of {@link System#nanoTime}, 0 for never. All processes of a machine have that
 * clock in common where the benchmark runs (it is the kernel's monotonic one).
 */
public final class Seen {

  private static final long MAX_MICROS = 60_000_000;

  private long[] asked = {};
  private long[] first = {};
  private long[] entered = {};
  private int[] position = {};
  private long[] change = {};
  private int viewers;

  /** Every place that differs from the one shown before. */
  private int[] who = new int[1_024];

  private int[] place = new int[1_024];
  private long[] at = new long[1_024];
  private int moves;

  private long events;
  private long backwards;
  private long failures;
  private String firstFailure = "";

  /** One more viewer has begun to connect. */
  void asked(int viewer, long now) {
    if (viewer >= asked.length) {
      int length = Math.max(1_024, viewer * 2);
      asked = Arrays.copyOf(asked, length);
      first = Arrays.copyOf(first, length);
      entered = Arrays.copyOf(entered, length);
      position = Arrays.copyOf(position, length);
      change = Arrays.copyOf(change, length);
    }
    viewers = Math.max(viewers, viewer + 1);
    asked[viewer] = now;
  }

  void shown(int viewer, int newPosition, long newChange, long now) {
    event(viewer, now);
    if (newChange < change[viewer] || (newPosition > position[viewer] && position[viewer] != 0)) {
      backwards++;
    }
    change[viewer] = newChange;
    if (newPosition == position[viewer]) {
      return;
    }
    position[viewer] = newPosition;
    if (moves == who.length) {
      who = Arrays.copyOf(who, moves * 2);
      place = Arrays.copyOf(place, moves * 2);
      at = Arrays.copyOf(at, moves * 2);
    }
    who[moves] = viewer;
    place[moves] = newPosition;
    at[moves++] = now;
  }

  void entered(int viewer, long now) {
    event(viewer, now);
    entered[viewer] = now;
  }

  private void event(int viewer, long now) {
    events++;
    if (first[viewer] == 0) {
      first[viewer] = now;
    }
  }

  void failed(String what) {
    if (failures++ == 0) {
      firstFailure = what;
    }
  }

  /** How many have been shown something. */
  public int watching() {
    return (int) Arrays.stream(first, 0, viewers).filter(time -> time != 0).count();
  }

  public long events() {
    return events;
  }

  /** How often a place went up, or was older than the one before: neither should ever be. */
  public long backwards() {
    return backwards;
  }

  /** Streams refused, broken off, or ended by the server before their time. */
  public long failures() {
    return failures;
  }

  public String firstFailure() {
    return firstFailure;
  }

  /** When each was told to be let in, 0 for those who were not. */
  public long[] whenEntered() {
    return Arrays.copyOf(entered, viewers);
  }

  public static Histogram histogram() {
    return new Histogram(MAX_MICROS, 3);
  }

  /** From the beginning of connecting to the first event, in microseconds. */
  public void addFirst(Histogram histogram) {
    for (int i = 0; i < viewers; i++) {
      if (first[i] != 0) {
        add(histogram, first[i] - asked[i]);
      }
    }
  }

  /**
   * From each admission to the moment a viewer was shown the place that follows from it, or one
   * that follows from a later one: a viewer who was not shown every step has waited for it all the
   * same. The position alone says which admissions it includes, since nobody else leaves the line.
   *
   * @param byPlace where to count a step after which somebody had this place
   * @return how many steps were never shown
   */
  public long addMoved(List<Admission> admissions, IntFunction<Histogram> byPlace) {
    var base = places(admissions);
    var steps = new int[viewers];
    var gone = gone(admissions);
    for (int i = 0; i < moves; i++) {
      int viewer = who[i];
      while (steps[viewer] < gone.length
          && at[i] > admissions.get(steps[viewer]).sentAt()
          && base[viewer] - place[i] >= gone[steps[viewer]]) {
        int step = steps[viewer]++;
        add(byPlace.apply(base[viewer] - gone[step]), at[i] - admissions.get(step).sentAt());
      }
    }
    long missed = 0;
    for (int viewer = 0; viewer < viewers; viewer++) {
      int owed = base[viewer] == 0 ? 0 : stepsBefore(base[viewer], gone);
      for (int step = steps[viewer]; step < owed; step++) {
        // Whoever was told to be let in needs no place any more; until then they have waited.
        if (entered[viewer] == 0) {
          missed++;
        } else {
          add(
              byPlace.apply(base[viewer] - gone[step]),
              entered[viewer] - admissions.get(step).sentAt());
        }
      }
    }
    return missed;
  }

  /**
   * From the admission of each viewer to the moment they were told.
   *
   * @return how many were never told
   */
  public long addEntered(List<Admission> admissions, Histogram histogram) {
    var base = places(admissions);
    var gone = gone(admissions);
    long missed = 0;
    for (int viewer = 0; viewer < viewers; viewer++) {
      int step = stepsBefore(base[viewer], gone);
      if (base[viewer] == 0 || step == gone.length) {
        continue;
      }
      if (entered[viewer] == 0) {
        missed++;
      } else {
        add(histogram, entered[viewer] - admissions.get(step).sentAt());
      }
    }
    return missed;
  }

  /** The place each had before the first admission; 0 for those who had none. */
  private int[] places(List<Admission> admissions) {
    var places = new int[viewers];
    for (int i = 0; i < moves && at[i] < admissions.getFirst().sentAt(); i++) {
      places[who[i]] = place[i];
    }
    return places;
  }

  /** How many have gone in after each admission. */
  private static int[] gone(List<Admission> admissions) {
    var gone = admissions.stream().mapToInt(Admission::count).toArray();
    Arrays.parallelPrefix(gone, Integer::sum);
    return gone;
  }

  /** How many admissions leave one who was at this place waiting. */
  private static int stepsBefore(int place, int[] gone) {
    int steps = 0;
    while (steps < gone.length && gone[steps] < place) {
      steps++;
    }
    return steps;
  }

  private static void add(Histogram histogram, long nanos) {
    histogram.recordValue(Math.clamp(nanos / 1_000, 0, MAX_MICROS));
  }

  Seen copy() {
    var copy = new Seen();
    copy.asked = asked.clone();
    copy.first = first.clone();
    copy.entered = entered.clone();
    copy.position = position.clone();
    copy.change = change.clone();
    copy.viewers = viewers;
    copy.who = who.clone();
    copy.place = place.clone();
    copy.at = at.clone();
    copy.moves = moves;
    copy.events = events;
    copy.backwards = backwards;
    copy.failures = failures;
    copy.firstFailure = firstFailure;
    return copy;
  }

  void writeTo(DataOutputStream out) throws IOException {
    out.writeInt(viewers);
    for (int i = 0; i < viewers; i++) {
      out.writeLong(asked[i]);
      out.writeLong(first[i]);
      out.writeLong(entered[i]);
    }
    out.writeInt(moves);
    for (int i = 0; i < moves; i++) {
      out.writeInt(who[i]);
      out.writeInt(place[i]);
      out.writeLong(at[i]);
    }
    out.writeLong(events);
    out.writeLong(backwards);
    out.writeLong(failures);
    out.writeUTF(firstFailure);
  }

  static Seen readFrom(DataInputStream in) throws IOException {
    var seen = new Seen();
    int viewers = in.readInt();
    for (int i = 0; i < viewers; i++) {
      seen.asked(i, in.readLong());
      seen.first[i] = in.readLong();
      seen.entered[i] = in.readLong();
    }
    int moves = in.readInt();
    seen.who = new int[moves];
    seen.place = new int[moves];
    seen.at = new long[moves];
    for (int i = 0; i < moves; i++) {
      seen.who[i] = in.readInt();
      seen.place[i] = in.readInt();
      seen.at[i] = in.readLong();
    }
    seen.moves = moves;
    seen.events = in.readLong();
    seen.backwards = in.readLong();
    seen.failures = in.readLong();
    seen.firstFailure = in.readUTF();
    return seen;
  }
}
