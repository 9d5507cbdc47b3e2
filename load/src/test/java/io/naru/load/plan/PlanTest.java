package io.naru.load.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlanTest {

  private static Expected expected(
      int people, double stay, int capacity, double rate, int withinSeconds) {
    return new Expected(people, 60, stay, capacity, rate, withinSeconds, 5);
  }

  /** Ten thousand, the last one within thirty seconds, each for ten. */
  @Test
  void missionC_hasRoomForTellingAndCompleting() {
    Plan plan = Plan.of(expected(10_000, 10, 0, 0, 30));

    assertThat(plan.entryBatchSize()).isEqualTo(351);
    assertThat(plan.entryIntervalSeconds()).isEqualTo(1);
    assertThat(plan.maxCapacity()).isEqualTo(3_861);
    assertThat(plan.isInTime()).isTrue();
    assertThat(plan.lastWaitSeconds()).isEqualTo(29.5);
  }

  @ParameterizedTest
  @CsvSource({
    // people, stay, capacity, rate, within; batch, interval, capacity, last, in time
    "10000, 10, 3330, 0, 0,   302, 1, 3330, 34.5, true",
    "10000, 10, 3330, 0, 30,  302, 1, 3330, 34.5, false",
    "10000, 10, 3330, 0, 60,  171, 1, 3330, 59.5, true",
    "10000, 10, 0, 100, 0,    100, 1, 1100, 100.5, true",
    "1000, 60, 10, 0, 0,      3, 19, 10, 6328.5, true",
    "1000, 3600, 1, 0, 0,     1, 3600, 1, 3596401.5, true",
    "1, 1, 1, 1, 2,           1, 2, 1, 1.5, true",
  })
  void settings_followFromWhatIsKnown(
      int people,
      double stay,
      int capacity,
      double rate,
      int withinSeconds,
      int batch,
      int interval,
      int maxCapacity,
      double last,
      boolean isInTime) {
    Plan plan = Plan.of(expected(people, stay, capacity, rate, withinSeconds));

    assertThat(plan.entryBatchSize()).isEqualTo(batch);
    assertThat(plan.entryIntervalSeconds()).isEqualTo(interval);
    assertThat(plan.maxCapacity()).isEqualTo(maxCapacity);
    assertThat(plan.lastWaitSeconds()).isCloseTo(last, within(0.01));
    assertThat(plan.isInTime()).isEqualTo(isInTime);
  }

  @Test
  void notInTime_saysWhatItWouldTake() {
    Plan plan = Plan.of(expected(10_000, 10, 3_330, 0, 30));
    assertThat(plan.isInTime()).isFalse();
    assertThat(plan.capacityNeeded()).isEqualTo(3_861);
  }

  /** Whatever is asked: the settings are allowed ones, and the site gets no more than it takes. */
  @Test
  void plan_neverAsksMoreOfASiteThanWasSaid() {
    var random = new SplittableRandom(4711);
    for (int i = 0; i < 20_000; i++) {
      int people = 1 + random.nextInt(1 << (1 + random.nextInt(22)));
      double stay = 0.1 + random.nextDouble() * (1 << random.nextInt(12));
      int capacity = random.nextBoolean() ? 0 : 1 + random.nextInt(1 << (1 + random.nextInt(18)));
      double rate = random.nextBoolean() ? 0 : 0.01 + random.nextDouble() * 2_000;
      int withinSeconds =
          (capacity == 0 && rate == 0) || random.nextBoolean() ? 2 + random.nextInt(7_200) : 0;
      Expected asked = expected(people, stay, capacity, rate, withinSeconds);
      Plan plan = Plan.of(asked);
      assertThat(plan.entryBatchSize()).as("%s", asked).isBetween(1, 100_000);
      assertThat(plan.entryIntervalSeconds()).as("%s", asked).isBetween(1, 3_600);
      assertThat(plan.maxCapacity()).as("%s", asked).isBetween(1, 10_000_000);
      if (rate > 0 && plan.entryIntervalSeconds() < 3_600) {
        assertThat(plan.perSecond()).as("%s", asked).isLessThanOrEqualTo(rate + 1e-6);
      }
      if (capacity > 0) {
        assertThat(plan.maxCapacity()).as("%s", asked).isEqualTo(capacity);
      }
      if (plan.isInTime() && withinSeconds > 0) {
        assertThat(plan.lastWaitSeconds()).as("%s", asked).isLessThanOrEqualTo(withinSeconds);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0, 10, 1, 0, 0, '--people: must be 1..10000000, is 0'",
    "1, 0, 1, 0, 0, '--stay: must be 0.1..86400, is 0.0'",
    "1, 10, 0, 0, 0, 'say what is known'",
    "1, 10, -1, 0, 0, '--capacity: must be 1..10000000, is -1'",
    "1, 10, 0, -2, 0, '--rate: must be 0.001..100000, is -2.0'",
    "1, 10, 0, 0, 1, '--within: must be 2..86400, is 1'",
  })
  void absurd_isRefusedWithTheRange(
      int people, double stay, int capacity, double rate, int withinSeconds, String message) {
    assertThatThrownBy(() -> expected(people, stay, capacity, rate, withinSeconds))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(message);
  }

  @Test
  void needs_growWithTheCrowd_andLetOneServerFail() {
    Expected some = expected(10_000, 10, 0, 0, 60);
    Needs few = Needs.of(some, Plan.of(some), Figures.DEFAULT, 4);
    assertThat(few.servers()).isEqualTo(2);

    var many = new Expected(1_000_000, 60, 10, 10_000, 0, 0, 5);
    Needs needs = Needs.of(many, Plan.of(many), Figures.DEFAULT, 4);
    assertThat(needs.mostWaiting()).isBetween(900_000L, 1_000_000L);
    // By how many streams a server takes.
    assertThat(needs.servers()).isEqualTo(19);
    assertThat(needs.files()).isGreaterThan(50_000);
    assertThat(needs.siteRequests()).isCloseTo(5 * 909, within(5.0));
  }

  @Test
  void figures_ofABenchmark_areItsOwn_andPerCore() {
    Figures figures =
        Figures.of(
            "8 cores, Linux amd64, Java 25",
            Map.of(
                "enter, PostgreSQL", 80_000.0,
                "CPU, line moving, 1,000 viewers", 10.0,
                "CPU, line moving, 15,000 viewers", 30.0,
                "CPU, line moving, 45,000 viewers, 3 servers", 90.0,
                "Redis memory per waiting user", 120.0),
            "a file");

    assertThat(figures.enters()).isEqualTo(10_000);
    assertThat(figures.streams()).isEqualTo(50_000);
    assertThat(figures.redisBytes()).isEqualTo(120);
    assertThat(figures.statuses()).isEqualTo(Figures.DEFAULT.statuses());
  }
}
