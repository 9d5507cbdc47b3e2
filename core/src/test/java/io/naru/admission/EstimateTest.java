package io.naru.admission;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.line.InLane;
import io.naru.line.Score;
import io.naru.queue.Drawing;
import io.naru.queue.LaneCount;
import io.naru.queue.LineState;
import io.naru.queue.Settings;
import io.naru.queue.State;
import io.naru.queue.Units;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Lines are lived through, second by second, and what was told is held against what came. */
class EstimateTest {

  private static final int LOOK_SECONDS = 2;
  private static final int PEOPLE = 3_000;

  /** What somebody was told, and what came of it. */
  private record Promise(int at, long ahead, Estimate told, double truth) {

    double middle() {
      return (told.lowSeconds() + told.highSeconds()) / 2.0;
    }
  }

  private static final class Person {
    final List<Promise> promises = new ArrayList<>();
    final int number;
    final double leavesAt;

    Person(int number, double leavesAt) {
      this.number = number;
      this.leavesAt = leavesAt;
    }
  }

  /** A line with everybody in it from the beginning. */
  private static class Life {
    final Random random;
    final ArrayDeque<Person> waiting = new ArrayDeque<>();
    private final Estimate.Bounds bounds;
    private final double staySeconds;
    private final double patience;
    private final PriorityQueue<Visit> inside =
        new PriorityQueue<>(Comparator.comparingDouble(Visit::until));
    private final List<Promise> kept = new ArrayList<>();
    private long joined;
    private long entered;
    private double allowance;
    private Observed seen = Observed.NOTHING;
    private Observed.@Nullable Count last;

    /**
     * @param leaving the share of those who wait that give up before their turn, roughly
     */
    Life(Random random, Estimate.Bounds bounds, double staySeconds, double leaving) {
      this.random = random;
      this.bounds = bounds;
      this.staySeconds = staySeconds;
      double rate = Math.min(bounds.rate(), bounds.capacity() / staySeconds);
      double whole = PEOPLE / rate;
      this.patience = leaving == 0 ? 1e12 : whole / 2 / -Math.log(1 - leaving);
    }

    /**
     * Begins when as many are inside as there will be: the line was going before anybody watched.
     */
    Life steady() {
      int full = (int) Math.min(mostInside(0), bounds.rate() * staySeconds);
      for (int i = 0; i < full; i++) {
        double until = exponential(staySeconds);
        inside.add(new Visit(-until / 2, until));
      }
      return this;
    }

    /** How many may be inside. */
    int mostInside(@SuppressWarnings("unused") int now) {
      return bounds.capacity();
    }

    /** How many are inside and have been for half of their stay. */
    long halfDone(int now) {
      return inside.stream().filter(visit -> visit.from + visit.until <= 2 * now).count();
    }

    /** Somebody who was inside is done. */
    void done() {}

    /** Takes out who goes in next. */
    Person next() {
      return waiting.remove();
    }

    List<Promise> live() {
      for (int i = 0; i < PEOPLE; i++) {
        waiting.add(new Person(i, exponential(patience)));
        joined++;
      }
      for (int second = 0; !waiting.isEmpty(); second++) {
        int now = second;
        while (!inside.isEmpty() && inside.peek().until <= now) {
          inside.poll();
          done();
        }
        waiting.removeIf(person -> person.leavesAt <= now);
        if (second % bounds.pacing().intervalSeconds() == 0) {
          allowance = bounds.pacing().batch();
        }
        admit(now);
        if (second % LOOK_SECONDS == 0) {
          look(now);
        }
        if (second >= 30 && second % 20 == 0) {
          tellAll(now);
        }
      }
      return kept;
    }

    private double exponential(double mean) {
      return -mean * Math.log(1 - random.nextDouble());
    }

    private void admit(int now) {
      while (!waiting.isEmpty() && inside.size() < mostInside(now) && allowance >= 1) {
        Person next = next();
        allowance--;
        entered++;
        inside.add(new Visit(now, now + Math.min(bounds.turnSeconds(), exponential(staySeconds))));
        for (Promise promise : next.promises) {
          kept.add(new Promise(promise.at, promise.ahead, promise.told, now - promise.at));
        }
      }
    }

    private void look(int second) {
      var now = new Observed.Count(waiting.size(), inside.size(), joined, entered);
      seen =
          last == null
              ? Observed.first(now)
              : seen.next(last, now, LOOK_SECONDS, mostInside(second));
      last = now;
    }

    /** Tells every hundredth how long it takes. */
    void tellAll(int now) {
      int ahead = 0;
      for (Person person : waiting) {
        if (ahead % 100 == 0) {
          tell(person, ahead, now);
        }
        ahead++;
      }
    }

    /**
     * @param ahead how many go in before them, as far as that is known
     */
    void tell(Person person, long ahead, int now) {
      var asOfNow = new Estimate.Bounds(bounds.pacing(), mostInside(now), bounds.turnSeconds());
      Estimate told = requireNonNull(Estimate.of(ahead, asOfNow, seen));
      person.promises.add(new Promise(now, ahead, told, 0));
    }
  }

  /** From when until when somebody is inside, in seconds. */
  private record Visit(double from, double until) {}

  /** Every other one is in a lane of which seven go in where three of the others do. */
  private static final class LifeWithLanes extends Life {
    private static final Settings SETTINGS =
        Settings.DEFAULT.with(
            Map.of(
                "lanes",
                List.of(
                    Map.of("name", "vip", "share", 70), Map.of("name", "normal", "share", 30))));
    private static final List<String> LANES = List.of("vip", "normal");
    private int turns;

    LifeWithLanes(Random random, Estimate.Bounds bounds, double staySeconds, double leaving) {
      super(random, bounds, staySeconds, leaving);
    }

    private static int lane(Person person) {
      return person.number % 2;
    }

    private List<Person> in(int lane) {
      return waiting.stream().filter(person -> lane(person) == lane).toList();
    }

    @Override
    Person next() {
      int wanted = 7 * turns / 10 < 7 * ++turns / 10 ? 0 : 1;
      Person next =
          waiting.stream()
              .filter(person -> lane(person) == wanted)
              .findFirst()
              .orElseGet(waiting::getFirst);
      waiting.remove(next);
      return next;
    }

    @Override
    void tellAll(int now) {
      List<LaneCount> counts = new ArrayList<>();
      for (int lane = 0; lane < LANES.size(); lane++) {
        counts.add(new LaneCount(Score.FIRST_LANE + lane, LANES.get(lane), in(lane).size(), 0));
      }
      var line =
          new LineState(
              1, waiting.size(), counts, 1, State.OPEN, SETTINGS, Units.NONE, 0, Drawing.NONE);
      for (int lane = 0; lane < LANES.size(); lane++) {
        List<Person> people = in(lane);
        long score = Score.inBand(Score.FIRST_LANE + lane, 1);
        for (int ahead = 0; ahead < people.size(); ahead += 100) {
          tell(people.get(ahead), InLane.of(line, score, ahead).aheadOfAll(), now);
        }
      }
    }
  }

  /**
   * There is less than there are places: who is inside takes a unit after half of their stay, and
   * all but one of a hundred give it back.
   */
  private static final class LifeWithStock extends Life {
    private static final Settings SETTINGS =
        Settings.DEFAULT.with(Map.of("maxCapacity", 500, "stock", Map.of("perVisitor", 1)));
    private long units = 250;

    LifeWithStock(Random random, Estimate.Bounds bounds, double staySeconds, double leaving) {
      super(random, bounds, staySeconds, leaving);
    }

    @Override
    int mostInside(int now) {
      long held = Math.min(units, halfDone(now));
      return SETTINGS.mostInside(new Units(units - held, held, 1));
    }

    @Override
    void done() {
      units -= random.nextInt(100) == 0 ? 1 : 0;
    }
  }

  private interface Birth {
    Life of(Random random, Estimate.Bounds bounds, double staySeconds, double leaving);
  }

  private static Estimate.Bounds bounds(int batch, int interval, int capacity) {
    return new Estimate.Bounds(new Pacing(batch, interval), capacity, 600);
  }

  /**
   * Half a minute after the first look, everybody who is told something is told nearly the truth.
   */
  private static void assertHonest(Estimate.Bounds bounds, double staySeconds, double leaving) {
    assertHonest(Life::new, bounds, staySeconds, leaving, 0);
  }

  /**
   * @param strays how many of 100 may stray further, as chance has it
   */
  private static void assertHonest(
      Birth birth, Estimate.Bounds bounds, double staySeconds, double leaving, double strays) {
    // The same lives every time.
    for (int seed = 1; seed <= 5; seed++) {
      List<Promise> promises =
          birth.of(new Random(seed), bounds, staySeconds, leaving).steady().live();
      assertThat(promises).hasSizeGreaterThan(100);
      List<Promise> strayed = new ArrayList<>();
      for (Promise promise : promises) {
        // A second or two is nothing that anybody sees.
        double allowed = Math.max(0.3 * promise.truth, 4 + bounds.pacing().intervalSeconds());
        if (Math.abs(promise.middle() - promise.truth) > allowed) {
          strayed.add(promise);
        }
        if (promise.told.highSeconds() < 60) {
          assertThat(promise.truth).as("%s", promise).isLessThanOrEqualTo(180);
        }
      }
      assertThat(strayed)
          .as("of %s, people stay %s s, seed %s", bounds, staySeconds, seed)
          .hasSizeLessThanOrEqualTo((int) (promises.size() * strays / 100));
    }
  }

  @Test
  void boundByRate_isNearTheTruth() {
    assertHonest(bounds(10, 1, 100_000), 120, 0);
    assertHonest(bounds(10, 1, 100_000), 120, 0.2);
    assertHonest(bounds(30, 10, 100_000), 120, 0.2);
  }

  @Test
  void boundByCapacity_isNearTheTruth() {
    assertHonest(bounds(50, 1, 500), 120, 0);
    assertHonest(bounds(50, 1, 500), 120, 0.2);
    assertHonest(bounds(1_000, 1, 300), 60, 0.2);
  }

  @Test
  void boundByBoth_isNearTheTruth() {
    assertHonest(bounds(5, 1, 600), 120, 0.2);
    assertHonest(bounds(6, 1, 600), 120, 0);
    assertHonest(bounds(4, 1, 600), 120, 0.2);
  }

  @Test
  void lanes_areNearTheTruth() {
    assertHonest(LifeWithLanes::new, bounds(10, 1, 100_000), 120, 0, 1);
    assertHonest(LifeWithLanes::new, bounds(50, 1, 500), 120, 0.2, 1);
  }

  @Test
  void boundByStock_isNearTheTruth() {
    assertHonest(LifeWithStock::new, bounds(50, 1, 500), 120, 0, 1);
    assertHonest(LifeWithStock::new, bounds(50, 1, 500), 120, 0.2, 1);
  }

  /** What was tried: place 201, half a person a second, and "less than a minute" was shown. */
  @Test
  void boundByCapacity_nothingSeenYet_isFromWhatIsSet() {
    var bounds = new Estimate.Bounds(new Pacing(100, 1), 150, 300);
    Observed full = Observed.first(new Observed.Count(1_000, 150, 1_150, 150));

    Estimate told = requireNonNull(Estimate.of(200, bounds, full));
    assertThat(told.lowSeconds()).isGreaterThan(60);
    assertThat(told.highSeconds()).isGreaterThanOrEqualTo(400);
    assertThat(Estimate.of(200, bounds, Observed.NOTHING)).isNull();
  }

  /** The site stands still: after a minute nobody is told that it takes less. */
  @Test
  void nobodyGoesIn_isToldForNoLongerThanAMinuteThatItTakesLess() {
    var bounds = new Estimate.Bounds(new Pacing(100, 1), 10, 600);
    var before = new Observed.Count(50, 10, 1_000, 940);
    Observed seen = Observed.first(before);
    for (int i = 0; i < 100; i++) {
      var now = new Observed.Count(50, 10, before.joined() + 20, before.entered() + 20);
      seen = seen.next(before, now, 2, 10);
      before = now;
    }
    Estimate quick = requireNonNull(Estimate.of(3, bounds, seen));
    assertThat(quick.highSeconds()).isLessThan(10);

    for (int i = 0; i < 31; i++) {
      seen = seen.next(before, before, 2, 10);
    }

    Estimate stuck = requireNonNull(Estimate.of(0, bounds, seen));
    assertThat(stuck.highSeconds()).isGreaterThanOrEqualTo(60);
    Estimate after = requireNonNull(Estimate.of(0, bounds, seen.interrupted(before)));
    assertThat(after.highSeconds()).as("a pause is no standstill").isLessThan(60);
  }
}
