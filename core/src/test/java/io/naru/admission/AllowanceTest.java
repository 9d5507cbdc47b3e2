package io.naru.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.support.PaceRecord;
import io.naru.support.Seeded;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AllowanceTest {

  private static final Pacing TEN_A_SECOND = new Pacing(10, 1);
  private static final long SECOND = 1_000_000;

  private final Allowance full = Allowance.full(TEN_A_SECOND, 7 * SECOND);

  @Test
  void full_onActivation_isOneBatch() {
    assertThat(full).isEqualTo(new Allowance(10, 7 * SECOND));
    assertThat(full.nextRefillAt(TEN_A_SECOND)).isEqualTo(8 * SECOND);
  }

  @Test
  void at_sameInterval_keepsWhatIsLeft() {
    Allowance left = full.spend(4);

    assertThat(left.at(7 * SECOND, TEN_A_SECOND)).isEqualTo(new Allowance(6, 7 * SECOND));
    assertThat(left.at(8 * SECOND - 1, TEN_A_SECOND)).isEqualTo(new Allowance(6, 7 * SECOND));
  }

  @Test
  void at_nextInterval_isOneBatchAgain() {
    assertThat(full.spend(10).at(8 * SECOND, TEN_A_SECOND))
        .isEqualTo(new Allowance(10, 8 * SECOND));
    assertThat(full.at(8 * SECOND, TEN_A_SECOND)).isEqualTo(new Allowance(10, 8 * SECOND));
  }

  @Test
  void at_muchLater_isOneBatchOnTheGrid() {
    assertThat(full.spend(10).at(1_000 * SECOND + 400_000, TEN_A_SECOND))
        .isEqualTo(new Allowance(10, 1_000 * SECOND));
  }

  @Test
  void at_clockWentBack_startsTheIntervalAnew() {
    assertThat(full.spend(4).at(2 * SECOND, TEN_A_SECOND)).isEqualTo(new Allowance(6, 2 * SECOND));
    assertThat(full.spend(4).at(2 * SECOND, new Pacing(3, 1)).tokens()).isEqualTo(3);
  }

  @Test
  void at_batchChanged_isNeverMoreThanTheNewOneAndNotRaisedBeforeTheRefill() {
    assertThat(full.at(7 * SECOND, new Pacing(3, 1)).tokens()).isEqualTo(3);
    assertThat(full.at(7 * SECOND, new Pacing(30, 1)).tokens()).isEqualTo(10);
    assertThat(full.at(8 * SECOND, new Pacing(30, 1)).tokens()).isEqualTo(30);
  }

  @Test
  void repaced_otherInterval_keepsWhatIsLeftAndThePartThatIsOver() {
    Allowance left = full.spend(4);
    long now = 7 * SECOND + 250_000;
    Allowance slower = left.repaced(TEN_A_SECOND, new Pacing(10, 3_600), now);

    assertThat(slower.tokens()).isEqualTo(6);
    assertThat(slower.nextRefillAt(new Pacing(10, 3_600))).isEqualTo(now + 2_700 * SECOND);
    assertThat(slower.repaced(new Pacing(10, 3_600), TEN_A_SECOND, now)).isEqualTo(left);
  }

  @Test
  void repaced_refillIsDue_isThatOfTheRateBefore() {
    Allowance spent = full.spend(10);

    assertThat(spent.repaced(TEN_A_SECOND, new Pacing(30, 2), 9 * SECOND))
        .isEqualTo(new Allowance(10, 9 * SECOND));
    assertThat(spent.repaced(new Pacing(10, 3_600), TEN_A_SECOND, 9 * SECOND).tokens()).isZero();
  }

  @Test
  void repaced_smallerBatch_isNeverMoreThanThat() {
    assertThat(full.repaced(TEN_A_SECOND, new Pacing(3, 1), 7 * SECOND).tokens()).isEqualTo(3);
  }

  @ParameterizedTest
  @CsvSource({
    "10, 0, 5, 5",
    "10, 7, 5, 3",
    "10, 10, 5, 0",
    "10, 12, 5, 0",
    "10, 0, 0, 0",
    "10, 0, -3, 0",
    "10000000, 0, 9000000000, 10000000",
    "1, 9000000000, 5, 0"
  })
  void places_capacityAndAllowance_isTheLesserAndNeverNegative(
      int maxCapacity, long inside, long allowance, int places) {
    assertThat(Allowance.places(maxCapacity, inside, allowance)).isEqualTo(places);
  }

  /**
   * Rule: over any interval T, admissions ≤ burst + rate × T, and the grid stays where it began.
   */
  @Test
  void at_randomTicks_neverExceedsTheRateAndNeverDrifts() {
    Seeded.histories(20, AllowanceTest::tickAtRandom);
  }

  private static void tickAtRandom(Random random) {
    var pacing = new Pacing(1 + random.nextInt(50), 1 + random.nextInt(5));
    long start = random.nextInt(1_000_000);
    long now = start;
    long admitted = 0;
    Allowance allowance = Allowance.full(pacing, start);
    for (int i = 0; i < 2_000; i++) {
      now += random.nextInt(20) == 0 ? random.nextLong(60 * SECOND) : random.nextLong(SECOND);
      allowance = allowance.at(now, pacing);
      assertThat(allowance.tokens()).isBetween(0, pacing.batch());
      assertThat((allowance.refilledAt() - start) % pacing.intervalMicros()).isZero();
      assertThat(allowance.nextRefillAt(pacing) - now).isBetween(1L, pacing.intervalMicros());
      int taken = random.nextInt(allowance.tokens() + 1);
      allowance = allowance.spend(taken);
      admitted += taken;
      long refills = (now - start) / pacing.intervalMicros();
      assertThat(admitted).isLessThanOrEqualTo(pacing.batch() * (1 + refills));
    }
  }

  /** Rule: changing the rate, up, down and back, never gives more than the rates themselves. */
  @Test
  void repaced_atRandom_neverExceedsTheRates() {
    Seeded.histories(50, AllowanceTest::repaceAtRandom);
  }

  private static void repaceAtRandom(Random random) {
    long now = random.nextInt(1_000_000);
    Pacing pacing = randomPacing(random);
    Allowance allowance = Allowance.full(pacing, now);
    var record = new PaceRecord(pacing);
    for (int i = 0; i < 200; i++) {
      now += random.nextInt(3) == 0 ? 0 : random.nextLong(pacing.intervalMicros());
      if (random.nextBoolean()) {
        Pacing next = randomPacing(random);
        allowance = allowance.repaced(pacing, next, now);
        record.changed(now, now, next);
        pacing = next;
      }
      allowance = allowance.at(now, pacing);
      record.admitted(now, allowance.tokens());
      allowance = allowance.spend(allowance.tokens());
    }
    record.assertKept();
  }

  private static Pacing randomPacing(Random random) {
    int[] seconds = {1, 2, 5, 60, 3_600};
    return new Pacing(1 + random.nextInt(10), seconds[random.nextInt(seconds.length)]);
  }
}
