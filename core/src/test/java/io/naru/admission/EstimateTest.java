package io.naru.admission;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
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
    final double leavesAt;

    Person(double leavesAt) {
      this.leavesAt = leavesAt;
    }
  }

  /** A line with everybody in it from the beginning. */
  private static final class Life {
    private final Random random;
    private final Estimate.Bounds bounds;
    private final double staySeconds;
    private final double patience;
    private final ArrayDeque<Person> waiting = new ArrayDeque<>();
    private final PriorityQueue<Double> inside = new PriorityQueue<>();
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
      int full = (int) Math.min(bounds.capacity(), bounds.rate() * staySeconds);
      for (int i = 0; i < full; i++) {
        inside.add(exponential(staySeconds));
      }
      return this;
    }

    List<Promise> live() {
      for (int i = 0; i < PEOPLE; i++) {
        waiting.add(new Person(exponential(patience)));
        joined++;
      }
      for (int second = 0; !waiting.isEmpty(); second++) {
        int now = second;
        while (!inside.isEmpty() && inside.peek() <= now) {
          inside.poll();
        }
        waiting.removeIf(person -> person.leavesAt <= now);
        if (second % bounds.pacing().intervalSeconds() == 0) {
          allowance = bounds.pacing().batch();
        }
        admit(now);
        if (second % LOOK_SECONDS == 0) {
          look();
        }
        if (second >= 30 && second % 20 == 0) {
          tell(now);
        }
      }
      return kept;
    }

    private double exponential(double mean) {
      return -mean * Math.log(1 - random.nextDouble());
    }

    private void admit(int now) {
      while (!waiting.isEmpty() && inside.size() < bounds.capacity() && allowance >= 1) {
        Person next = waiting.poll();
        allowance--;
        entered++;
        inside.add(now + Math.min(bounds.turnSeconds(), exponential(staySeconds)));
        for (Promise promise : next.promises) {
          kept.add(new Promise(promise.at, promise.ahead, promise.told, now - promise.at));
        }
      }
    }

    private void look() {
      var now = new Observed.Count(waiting.size(), inside.size(), joined, entered);
      seen =
          last == null
              ? Observed.first(now)
              : seen.next(last, now, LOOK_SECONDS, bounds.capacity());
      last = now;
    }

    private void tell(int now) {
      int ahead = 0;
      for (Person person : waiting) {
        if (ahead % 100 == 0) {
          Estimate told = requireNonNull(Estimate.of(ahead, bounds, seen));
          person.promises.add(new Promise(now, ahead, told, 0));
        }
        ahead++;
      }
    }
  }

  private static Estimate.Bounds bounds(int batch, int interval, int capacity) {
    return new Estimate.Bounds(new Pacing(batch, interval), capacity, 600);
  }

  /**
   * Half a minute after the first look, everybody who is told something is told nearly the truth.
   */
  private static void assertHonest(Estimate.Bounds bounds, double staySeconds, double leaving) {
    // The same lives every time: one in some hundred strays further, as chance has it.
    for (int seed = 1; seed <= 5; seed++) {
      List<Promise> promises =
          new Life(new Random(seed), bounds, staySeconds, leaving).steady().live();
      assertThat(promises).hasSizeGreaterThan(100);
      for (Promise promise : promises) {
        // A second or two is nothing that anybody sees.
        double allowed = Math.max(0.3 * promise.truth, 4 + bounds.pacing().intervalSeconds());
        assertThat(promise.middle())
            .as("%s of %s, people stay %s s, seed %s", promise, bounds, staySeconds, seed)
            .isBetween(promise.truth - allowed, promise.truth + allowed);
        if (promise.told.highSeconds() < 60) {
          assertThat(promise.truth).as("%s", promise).isLessThanOrEqualTo(180);
        }
      }
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
