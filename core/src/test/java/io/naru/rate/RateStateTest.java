package io.naru.rate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.naru.queue.Adaptive;
import io.naru.queue.Adaptive.Mode;
import io.naru.queue.InvalidValue;
import io.naru.queue.Signal;
import io.naru.support.Seeded;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RateStateTest {

  private static final long START = 1_000_000_000L;
  private static final long SECOND = 1_000_000;
  private static final Adaptive AIMD =
      new Adaptive(Mode.AIMD, 100, 5_000, 1_000, 200, 500, 1, 1.1, 0.8, 100);

  private static Adaptive rule(Mode mode) {
    return new Adaptive(mode, 100, 5_000, 1_000, 200, 500, 1, 1.1, 0.8, 100);
  }

  private static Site at(long micros) {
    return new Site(START + micros, 50, 1_000, 300);
  }

  private static RateState first(Adaptive rule) {
    return RateState.first(rule, at(0));
  }

  private static Signal signal(String source, int errors, double p95) {
    return new Signal(source, 1_000, errors, p95, 0);
  }

  private static RateState heard(RateState state, Signal signal, long micros) {
    return state.heard(signal, AIMD, at(micros));
  }

  /** The rule of the article, written down once more. */
  @Test
  void aimd_tickByTick_isTheArticle() {
    Seeded.histories(
        10,
        random -> {
          RateState state = first(AIMD);
          double expected = 1_000;
          boolean isWell = true;
          boolean isHeard = false;
          for (int tick = 1; tick <= 300; tick++) {
            long now = tick * 100_000L;
            state = state.at(AIMD, at(now));
            if (isHeard) {
              expected = Math.clamp(expected * (isWell ? 1.1 : 0.8), 100, 5_000);
            }
            assertThat(state.perSecond()).isEqualTo(expected);
            if (tick % 10 == 0) {
              double p95 = random.nextInt(1_000);
              int errors = random.nextInt(20);
              isWell = p95 < 500 && errors < 10;
              isHeard = true;
              state = heard(state, signal("shop", errors, p95), now);
            }
          }
        });
  }

  @Test
  void aimd_lookedAtSeldom_isTheSame() {
    RateState often = heard(first(AIMD), signal("shop", 0, 100), 50_000);
    RateState seldom = often.at(AIMD, at(1_000_000));
    for (long now = 60_000; now <= 1_000_000; now += 20_000) {
      often = often.at(AIMD, at(now));
    }
    assertThat(often.perSecond()).isEqualTo(seldom.perSecond());
    assertThat(often.tickedAt()).isEqualTo(seldom.tickedAt());
    assertThat(seldom.perSecond()).isEqualTo(1_000 * Math.pow(1.1, 10), withinPpm(2_593));
  }

  private static org.assertj.core.data.Offset<Double> withinPpm(double value) {
    return org.assertj.core.data.Offset.offset(value * 1e-6);
  }

  @Test
  void aimd_worstSource_wins() {
    RateState state = heard(first(AIMD), signal("a", 0, 100), 0);
    state = heard(state, signal("b", 0, 900), 0);

    assertThat(state.at(AIMD, at(100_000)).perSecond()).isEqualTo(800);
    assertThat(state.at(AIMD, at(100_000)).reason()).isEqualTo(Reason.CUT);
  }

  @Test
  void aimd_fewRequests_countForNothingUntilTheyAreEnough() {
    RateState state = first(AIMD);
    state = heard(state, new Signal("a", 19, 0, 10, 0), 0);
    assertThat(state.at(AIMD, at(100_000)).perSecond()).isEqualTo(1_000);
    assertThat(state.at(AIMD, at(100_000)).reason()).isEqualTo(Reason.STARTED);

    state = heard(state, new Signal("a", 19, 0, 10, 0), SECOND);
    assertThat(state.at(AIMD, at(SECOND + 100_000)).reason()).isEqualTo(Reason.RAISED);
    RateState apart = heard(first(AIMD), new Signal("a", 19, 0, 10, 0), 0);
    apart = heard(apart, new Signal("a", 19, 0, 10, 0), 6 * SECOND);
    assertThat(apart.at(AIMD, at(6 * SECOND + 100_000)).reason()).isEqualTo(Reason.STARTED);
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void at_nothingIsSaid_holdsAndThenIsSafe(Mode mode) {
    Adaptive rule = rule(mode);
    RateState state = first(rule).heard(signal("shop", 0, 400), rule, at(0));
    state = state.at(rule, at(4 * SECOND));
    double last = state.perSecond();

    RateState held = state.at(rule, at(5 * SECOND + 100_000)).at(rule, at(29 * SECOND));
    assertThat(held.perSecond()).isLessThanOrEqualTo(Math.max(last, 1_000 * Math.pow(1.1, 50)));
    assertThat(held.reason()).isEqualTo(Reason.SILENT);
    assertThat(held.limitedBy(rule)).isIn("hold", "ceiling", "floor");
    RateState lost = held.at(rule, at(30 * SECOND + 200_000));
    assertThat(lost.perSecond()).isLessThanOrEqualTo(200);
    assertThat(lost.reason()).isEqualTo(Reason.LOST);
    assertThat(lost.limitedBy(rule)).isEqualTo("safe");
  }

  @Test
  void at_nothingWasEverSaid_isSafeAfterAWhile() {
    assertThat(first(AIMD).at(AIMD, at(29 * SECOND)).perSecond()).isEqualTo(1_000);
    assertThat(first(AIMD).at(AIMD, at(31 * SECOND)).perSecond()).isEqualTo(200);
  }

  /** A source that was there and is silent may have bad news that it cannot tell. */
  @Test
  void at_oneOfTwoIsSilent_doesNotGrow() {
    RateState state = heard(first(AIMD), signal("a", 0, 100), 0);
    for (int second = 0; second < 29; second++) {
      state = heard(state, signal("b", 0, 100), second * SECOND);
    }
    double after = state.perSecond();
    assertThat(state.reason()).isEqualTo(Reason.SILENT);
    state = heard(state, signal("b", 0, 100), 29 * SECOND);
    assertThat(state.perSecond()).isEqualTo(after);
    state = heard(state, signal("b", 0, 900), 30 * SECOND).at(AIMD, at(30 * SECOND + 100_000));
    assertThat(state.perSecond()).isLessThan(after);
  }

  /** A rate that a lost signal had raised would be a rate that nobody asked for. */
  @ParameterizedTest
  @EnumSource(Mode.class)
  void at_withoutNews_neverGrows(Mode mode) {
    Adaptive rule = rule(mode);
    Seeded.histories(20, random -> silence(random, rule));
  }

  private static void silence(Random random, Adaptive rule) {
    RateState state = first(rule);
    long now = 0;
    for (int i = 0; i < 50; i++) {
      now += random.nextLong(SECOND);
      Signal signal = signal("s" + random.nextInt(3), random.nextInt(15), random.nextInt(700));
      state = state.heard(signal, rule, randomSite(random, now));
    }
    now += Signals.FRESH + 1;
    state = state.at(rule, randomSite(random, now));
    for (int i = 0; i < 50; i++) {
      now += random.nextLong(2 * SECOND);
      double before = state.perSecond();
      state = state.at(rule, randomSite(random, now));
      assertThat(state.perSecond()).isLessThanOrEqualTo(before);
    }
  }

  private static Site randomSite(Random random, long micros) {
    return new Site(START + micros, random.nextInt(100_000), random.nextInt(1_000_000), 300);
  }

  /** Whatever is said, floor and ceiling hold. */
  @ParameterizedTest
  @EnumSource(Mode.class)
  void at_sourcesGoneMad_staysWithinFloorAndCeiling(Mode mode) {
    Adaptive rule = rule(mode);
    Seeded.histories(
        10,
        random -> {
          RateState state = first(rule);
          long now = 0;
          for (int i = 0; i < 100; i++) {
            now += random.nextLong(3 * SECOND) - (random.nextInt(10) == 0 ? 60 * SECOND : 0);
            var signal =
                new Signal(
                    "s" + random.nextInt(32),
                    10_000_000,
                    random.nextInt(10_000_000),
                    random.nextBoolean() ? 0 : 3_600_000,
                    0);
            state = state.heard(signal, rule, randomSite(random, now));
            assertThat(state.perSecond()).isBetween(100.0, 5_000.0);
          }
          assertThat(RateText.read(RateText.write(state))).isEqualTo(state);
        });
  }

  /** A site that bears 333 people a second and has borne 200,000. */
  private static SiteModel busy(long seed, Adaptive rule) {
    return new SiteModel(seed, 1_665, 10, rule).run(600 + seed / 10.0);
  }

  /** What is gone since long does not leave at this moment. */
  @Test
  void under_steadyAfterAimd_isNeverFarAboveWhatTheSiteBears() {
    var careful = new Adaptive(Mode.AIMD, 100, 340, 340, 200, 500, 1, 1.1, 0.8, 100);
    for (long seed = 1; seed <= 20; seed++) {
      SiteModel site = busy(seed, careful);
      int before = site.past.size();

      site.under(rule(Mode.STEADY)).run(120);

      List<SiteModel.Tenth> after = site.past.subList(before, site.past.size());
      assertThat(after.subList(0, 10))
          .as("seed %d", seed)
          .allMatch(tenth -> tenth.perSecond() < 2 * 333);
      assertThat(after).as("seed %d", seed).allMatch(tenth -> tenth.inside() < 1.25 * 3_330);
      assertThat(site.admitted(610, 720)).as("seed %d", seed).isBetween(0.9 * 333, 1.01 * 333);
    }
  }

  @Test
  void under_aimdAfterSteady_goesOnFromTheRateInForce() {
    SiteModel site = busy(1, rule(Mode.STEADY));
    double before = site.past.getLast().perSecond();

    SiteModel.Tenth next = site.under(rule(Mode.AIMD)).run(0.1).past.getLast();

    assertThat(next.perSecond()).isBetween(0.79 * before, 1.11 * before);
    assertThat(next.limit()).as("nothing is limited").isZero();
  }

  /** Nobody has found out that the site does not bear what its operator begins with. */
  @Test
  void under_steadyWhereAimdWasWell_beginsAsSet() {
    RateState idle = heard(first(AIMD), signal("shop", 0, 50), 0).at(AIMD, at(2 * SECOND));
    assertThat(idle.perSecond()).isEqualTo(5_000);
    Adaptive steady = rule(Mode.STEADY);

    RateState next = idle.under(steady, AIMD, at(2 * SECOND)).at(steady, at(2 * SECOND + 100_000));

    assertThat(next.perSecond()).isEqualTo(1_000);
  }

  @Test
  void under_sameModeWithOtherFigures_forgetsNothing() {
    RateState state = heard(first(AIMD), signal("shop", 0, 50), 0).at(AIMD, at(SECOND));
    var other = new Adaptive(Mode.AIMD, 50, 4_000, 900, 200, 400, 1, 1.2, 0.5, 200);

    assertThat(state.under(other, AIMD, at(SECOND))).isEqualTo(state);
  }

  /** Forty application processes, and the last one to be heard of is the one that suffers. */
  @Test
  void heard_moreSourcesThanAreKept_theWorstWins() {
    RateState state = first(AIMD);
    for (int i = 0; i < 32; i++) {
      state = heard(state, signal("s" + i, 0, 10 + i), 0);
    }

    state = heard(state, signal("slow", 0, 900), 0);
    state = heard(state, signal("failing", 100, 1), 0);
    for (int i = 0; i < 32; i++) {
      state = heard(state, signal("t" + i, 0, 20), 0);
    }

    assertThat(state.signals().heard()).hasSize(32);
    Signals.Seen seen = state.signals().seen(START);
    assertThat(seen.p95Millis()).isEqualTo(900);
    assertThat(seen.errorPercent()).isEqualTo(10);
    assertThat(state.at(AIMD, at(100_000)).reason()).isEqualTo(Reason.CUT);
    state = heard(state, signal("slow", 0, 1), 50_000);
    state = heard(state, signal("failing", 0, 1), 50_000);
    assertThat(state.at(AIMD, at(100_000)).reason()).isEqualTo(Reason.RAISED);
    assertThat(heard(state, signal("one-more", 0, 1), 31 * SECOND).signals().heard()).hasSize(1);
  }

  @Test
  void heard_fewRequestsOfManySources_areKeptWhereTheyAreBad() {
    RateState state = first(AIMD);
    for (int i = 0; i < 32; i++) {
      state = heard(state, signal("s" + i, 0, 10), 0);
    }
    state = heard(state, new Signal("few", 12, 0, 900, 0), 0);
    state = heard(state, signal("s32", 0, 10), SECOND);
    state = heard(state, new Signal("few", 12, 0, 900, 0), SECOND);

    assertThat(state.signals().seen(START + SECOND).p95Millis()).isEqualTo(900);
  }

  @Test
  void heard_ofAnotherTime_isRefused() {
    for (long off : new long[] {5 * SECOND + 1, -30 * SECOND - 1}) {
      var signal = new Signal("a", 100, 0, 1, START + 60 * SECOND + off);
      assertThatExceptionOfType(InvalidValue.class)
          .isThrownBy(() -> heard(first(AIMD), signal, 60 * SECOND))
          .satisfies(e -> assertThat(e.field()).isEqualTo("at"));
    }
    var late = new Signal("a", 100, 0, 1, START + 54 * SECOND);
    RateState state = heard(first(AIMD).at(AIMD, at(60 * SECOND)), late, 60 * SECOND);
    assertThat(state.signals().seen(START + 60 * SECOND).isFresh()).isFalse();
  }

  @Test
  void text_nothing_isEmpty() {
    assertThat(RateText.write(null)).isEmpty();
    assertThat(RateText.read("")).isNull();
  }
}
