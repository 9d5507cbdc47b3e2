package io.naru.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.admission.Pacing.Kind;
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

  private static Allowance left(int tokens, long refilledAt) {
    return Allowance.of(tokens, 0, refilledAt, TEN_A_SECOND);
  }

  @Test
  void full_onActivation_isOneBatch() {
    assertThat(full).isEqualTo(left(10, 7 * SECOND));
    assertThat(full.nextRefillAt(TEN_A_SECOND)).isEqualTo(8 * SECOND);
  }

  /** A rate that follows a site may come to more in an hour than anybody would set. */
  @ParameterizedTest
  @CsvSource({"STEPS, 3600, 100000", "TOKEN_BUCKET, 3600, 1000", "STEPS, 600, 100000"})
  void full_moreThanCanBeCounted_letsPeopleIn(Kind kind, int interval, double perSecond) {
    Pacing slow = Pacing.of(kind, 1, interval, 0);
    Pacing fast = slow.atRate(perSecond);
    Allowance much = Allowance.full(fast, 0).at(interval * SECOND / 2, fast);

    assertThat(much.tokens(fast)).isGreaterThan(1_000_000);
    assertThat(much.spend(10, fast).at(10 * interval * SECOND, fast).tokens(fast))
        .isGreaterThan(1_000_000);
    assertThat(much.repaced(fast, slow, interval * SECOND).tokens(slow)).isEqualTo(1);
    Pacing twice = slow.atRate(2.0 / interval);
    long half = interval * SECOND / 2;
    Allowance owing = Allowance.full(slow, 0).spend(1, slow).repaced(slow, twice, half);
    assertThat(owing.repaced(twice, fast, half).at(interval * SECOND, fast).units()).isPositive();
    Allowance less = Allowance.full(fast, 0).repaced(fast, fast.atRate(perSecond / 2), half);
    assertThat(less.tokens(fast)).isGreaterThan(1_000_000);
    Allowance faster =
        Allowance.full(new Pacing(100_000, 1), 0)
            .repaced(new Pacing(100_000, 1), fast.atRate(2 * perSecond), SECOND);
    assertThat(faster.tokens(fast)).isEqualTo(100_000);
    assertThat(much.repaced(fast, fast.atRate(2 * perSecond), interval * SECOND - 1).refilledAt())
        .isBetween(0L, interval * SECOND);
  }

  @Test
  void at_sameInterval_keepsWhatIsLeft() {
    Allowance left = full.spend(4, TEN_A_SECOND);

    assertThat(left.at(7 * SECOND, TEN_A_SECOND)).isEqualTo(left(6, 7 * SECOND));
    assertThat(left.at(8 * SECOND - 1, TEN_A_SECOND)).isEqualTo(left(6, 7 * SECOND));
  }

  @Test
  void at_nextInterval_isOneBatchAgain() {
    assertThat(full.spend(10, TEN_A_SECOND).at(8 * SECOND, TEN_A_SECOND))
        .isEqualTo(left(10, 8 * SECOND));
    assertThat(full.at(8 * SECOND, TEN_A_SECOND)).isEqualTo(left(10, 8 * SECOND));
  }

  @Test
  void at_muchLater_isOneBatchOnTheGrid() {
    assertThat(full.spend(10, TEN_A_SECOND).at(1_000 * SECOND + 400_000, TEN_A_SECOND))
        .isEqualTo(left(10, 1_000 * SECOND));
  }

  @Test
  void at_clockWentBack_startsTheIntervalAnew() {
    assertThat(full.spend(4, TEN_A_SECOND).at(2 * SECOND, TEN_A_SECOND))
        .isEqualTo(left(6, 2 * SECOND));
    assertThat(full.spend(4, TEN_A_SECOND).at(2 * SECOND, new Pacing(3, 1)).tokens(TEN_A_SECOND))
        .isEqualTo(3);
  }

  @Test
  void at_batchChanged_isNeverMoreThanTheNewOneAndNotRaisedBeforeTheRefill() {
    assertThat(full.at(7 * SECOND, new Pacing(3, 1)).tokens(TEN_A_SECOND)).isEqualTo(3);
    assertThat(full.at(7 * SECOND, new Pacing(30, 1)).tokens(TEN_A_SECOND)).isEqualTo(10);
    assertThat(full.at(8 * SECOND, new Pacing(30, 1)).tokens(TEN_A_SECOND)).isEqualTo(30);
  }

  @Test
  void repaced_otherInterval_keepsWhatIsLeftAndThePartThatIsOver() {
    Allowance left = full.spend(4, TEN_A_SECOND);
    long now = 7 * SECOND + 250_000;
    Allowance slower = left.repaced(TEN_A_SECOND, new Pacing(10, 3_600), now);

    assertThat(slower.tokens(new Pacing(10, 3_600))).isEqualTo(6);
    assertThat(slower.nextRefillAt(new Pacing(10, 3_600))).isEqualTo(now + 2_700 * SECOND);
    assertThat(slower.repaced(new Pacing(10, 3_600), TEN_A_SECOND, now)).isEqualTo(left);
  }

  @Test
  void repaced_refillIsDue_isThatOfTheRateBefore() {
    Allowance spent = full.spend(10, TEN_A_SECOND);

    assertThat(spent.repaced(TEN_A_SECOND, new Pacing(30, 2), 9 * SECOND))
        .isEqualTo(Allowance.of(10, 0, 9 * SECOND, new Pacing(30, 2)));
    assertThat(spent.repaced(new Pacing(10, 3_600), TEN_A_SECOND, 9 * SECOND).tokens(TEN_A_SECOND))
        .isZero();
  }

  @Test
  void repaced_smallerBatch_isNeverMoreThanThat() {
    assertThat(full.repaced(TEN_A_SECOND, new Pacing(3, 1), 7 * SECOND).tokens(TEN_A_SECOND))
        .isEqualTo(3);
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
      assertThat(allowance.tokens(pacing)).isBetween(0L, (long) pacing.batch());
      assertThat((allowance.refilledAt() - start) % pacing.intervalMicros()).isZero();
      assertThat(allowance.nextRefillAt(pacing) - now).isBetween(1L, pacing.intervalMicros());
      int taken = random.nextInt((int) allowance.tokens(pacing) + 1);
      allowance = allowance.spend(taken, pacing);
      admitted += taken;
      long refills = (now - start) / pacing.intervalMicros();
      assertThat(admitted).isLessThanOrEqualTo(pacing.batch() * (1 + refills));
    }
  }

  private static final Pacing BUCKET = Pacing.of(Kind.TOKEN_BUCKET, 10, 1, 25);
  private static final Pacing LEAKY = Pacing.of(Kind.LEAKY_BUCKET, 70_000, 1, 0);

  @Test
  void at_tokenBucket_fillsAllTheTimeUpToOneBurst() {
    Allowance empty = Allowance.full(BUCKET, 0).spend(25, BUCKET);

    assertThat(empty.at(99_999, BUCKET).tokens(BUCKET)).isZero();
    assertThat(empty.at(100_000, BUCKET).tokens(BUCKET)).isEqualTo(1);
    assertThat(empty.at(50_000, BUCKET).at(100_000, BUCKET).tokens(BUCKET)).isEqualTo(1);
    assertThat(empty.at(2 * SECOND, BUCKET).tokens(BUCKET)).isEqualTo(20);
    assertThat(empty.at(86_400 * SECOND, BUCKET).tokens(BUCKET)).isEqualTo(25);
    assertThat(empty.at(Long.MAX_VALUE, BUCKET).tokens(BUCKET)).isEqualTo(25);
  }

  @Test
  void at_tokenBucketWithoutBurst_isOneBatch() {
    Pacing pacing = Pacing.of(Kind.TOKEN_BUCKET, 10, 60, 0);

    assertThat(Allowance.full(pacing, 0).tokens(pacing)).isEqualTo(10);
  }

  @Test
  void at_leakyBucket_isATenthOfASecondAndNoPersonIsLost() {
    Allowance allowance = Allowance.full(LEAKY, 0);
    assertThat(allowance.tokens(LEAKY)).isEqualTo(7_000);
    long admitted = 0;
    for (long now = 0; now <= SECOND; now += 7) {
      allowance = allowance.at(now, LEAKY);
      int all = (int) allowance.tokens(LEAKY);
      admitted += all;
      allowance = allowance.spend(all, LEAKY);
    }
    assertThat(admitted).isBetween(7_000 + 70_000L - 1, 7_000 + 70_000L);
  }

  @ParameterizedTest
  @CsvSource({"1, 3600, 1", "9, 1, 1", "10, 1, 1", "11, 1, 2", "5000, 1, 500", "5000, 100, 5"})
  void atOnce_leakyBucket_isATenthOfASecondRoundedUp(int batch, int seconds, int expected) {
    assertThat(Pacing.of(Kind.LEAKY_BUCKET, batch, seconds, 0).atOnce()).isEqualTo(expected);
  }

  /** A step for everybody who goes in at 70,000 a second would be nothing but steps. */
  @Test
  void nextRefillAt_bucket_isWhenAPortionIsThere() {
    Allowance empty = Allowance.full(LEAKY, 0).spend(7_000, LEAKY);

    assertThat(empty.nextRefillAt(LEAKY)).isEqualTo(50_000);
    assertThat(empty.roomFrom(LEAKY)).isEqualTo(50_000);
    Pacing one = Pacing.of(Kind.TOKEN_BUCKET, 5_000, 1, 1);
    assertThat(Allowance.full(one, 0).spend(1, one).roomFrom(one)).isEqualTo(200);
    assertThat(Allowance.full(one, 0).spend(1, one).nextRefillAt(one)).isEqualTo(20_000);
    Pacing slow = Pacing.of(Kind.LEAKY_BUCKET, 1, 3_600, 0);
    assertThat(Allowance.full(slow, 0).spend(1, slow).nextRefillAt(slow)).isEqualTo(3_600 * SECOND);
    assertThat(Allowance.full(slow, 0).roomFrom(slow)).isZero();
  }

  @Test
  void repaced_stepsToBucketAndBack_keepsWhatWasEarned() {
    Allowance half = full.spend(10, TEN_A_SECOND).at(7 * SECOND + 500_000, TEN_A_SECOND);

    Allowance bucket = half.repaced(TEN_A_SECOND, BUCKET, 7 * SECOND + 500_000);
    assertThat(bucket.at(7 * SECOND + 500_000, BUCKET).tokens(BUCKET)).isEqualTo(5);
    Allowance back = bucket.repaced(BUCKET, TEN_A_SECOND, 7 * SECOND + 500_000);
    assertThat(back).isEqualTo(left(5, 7 * SECOND + 500_000));
  }

  @Test
  void repaced_batchRaisedJustBeforeTheRefill_isNotWorthTheLargerBatch() {
    Pacing thousand = new Pacing(1_000, 1);
    Allowance raised =
        full.spend(10, TEN_A_SECOND).repaced(TEN_A_SECOND, thousand, 8 * SECOND - 1_000);

    assertThat(raised.at(8 * SECOND, thousand).tokens(thousand)).as("9.99 and 1").isEqualTo(10);
    assertThat(raised.nextRefillAt(thousand)).isEqualTo(8 * SECOND);
  }

  @Test
  void repaced_batchRaisedAndLoweredAgain_isAsBefore() {
    long now = 7 * SECOND + 500_000;
    Pacing twenty = new Pacing(20, 1);
    Allowance before = left(0, 7 * SECOND + 200_000);

    Allowance raised = before.repaced(TEN_A_SECOND, twenty, now);

    assertThat(raised.repaced(twenty, TEN_A_SECOND, now)).isEqualTo(before);
    assertThat(raised.nextRefillAt(twenty)).isEqualTo(before.nextRefillAt(TEN_A_SECOND));
    assertThat(raised.at(8 * SECOND + 200_000, twenty).tokens(twenty)).as("3 and 14").isEqualTo(17);
    assertThat(raised.at(9 * SECOND + 200_000, twenty).tokens(twenty)).isEqualTo(20);
    assertThat(raised.at(7 * SECOND, twenty)).as("clock went back").isEqualTo(left(0, 7 * SECOND));
  }

  /** Rule: a rate that changes, however often, is never slower than the slowest of them. */
  @Test
  void repaced_batchesAtRandom_isNoSlowerThanTheSlowest() {
    Seeded.histories(20, AllowanceTest::rebatchAtRandom);
  }

  private static void rebatchAtRandom(Random random) {
    int slowest = 1 + random.nextInt(5);
    int fastest = slowest + 1 + random.nextInt(20);
    long now = 0;
    Pacing pacing = new Pacing(fastest, 1);
    Allowance allowance = Allowance.full(pacing, now);
    long admitted = 0;
    for (int i = 0; i < 2_000; i++) {
      now += random.nextLong(SECOND / 2);
      allowance = allowance.at(now, pacing);
      int all = (int) allowance.tokens(pacing);
      admitted += all;
      allowance = allowance.spend(all, pacing);
      Pacing next = new Pacing(slowest + random.nextInt(fastest - slowest + 1), 1);
      allowance = allowance.repaced(pacing, next, now);
      pacing = next;
      assertThat(admitted).isGreaterThanOrEqualTo(slowest * now / SECOND - 2 * fastest);
    }
  }

  /** Rule: changing the rate and how it is spent, and the clock, never gives more than promised. */
  @Test
  void repaced_atRandom_neverExceedsTheRates() {
    Seeded.histories(10, random -> repaceAtRandom(random, Kind.STEPS));
    Seeded.histories(30, random -> repaceAtRandom(random, Kind.values()));
  }

  private static void repaceAtRandom(Random random, Kind... kinds) {
    long now = random.nextInt(1_000_000);
    // What the clock went on, without where it was put back.
    long lived = now;
    Pacing pacing = randomPacing(random, kinds);
    Allowance allowance = Allowance.full(pacing, now);
    var record = new PaceRecord(pacing);
    for (int i = 0; i < 120; i++) {
      long elapsed = random.nextInt(3) == 0 ? 0 : random.nextLong(pacing.intervalMicros());
      now += elapsed;
      lived += elapsed;
      if (random.nextInt(20) == 0) {
        now -= random.nextLong(7_200 * SECOND);
      }
      if (random.nextBoolean()) {
        Pacing next = randomPacing(random, kinds);
        allowance = allowance.repaced(pacing, next, now);
        record.changed(lived, lived, next);
        pacing = next;
      }
      allowance = allowance.at(now, pacing);
      int all = (int) allowance.tokens(pacing);
      record.admitted(lived, all);
      allowance = allowance.spend(all, pacing);
    }
    record.assertKept();
  }

  private static Pacing randomPacing(Random random, Kind... kinds) {
    int[] seconds = {1, 2, 5, 60, 3_600};
    return Pacing.of(
        kinds[random.nextInt(kinds.length)],
        1 + random.nextInt(10),
        seconds[random.nextInt(seconds.length)],
        random.nextInt(20));
  }
}
