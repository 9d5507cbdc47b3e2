package io.naru.rate;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.queue.Adaptive;
import io.naru.queue.Adaptive.Mode;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The figures that are promised of {@link Steady}, in a model of a site with a knee. The same seeds
 * every time: what is compared are figures, not a rule that holds for all of them.
 */
class SteadyTest {

  private static final double CAPACITY = 1_665;
  private static final double BEST = CAPACITY / SiteModel.REQUESTS;

  private static Adaptive rule(Mode mode) {
    return new Adaptive(mode, 20, 5_000, 1_000, 100, 500, 1, 1.1, 0.8, 100);
  }

  private static SiteModel site(long seed, double stay) {
    return new SiteModel(seed, CAPACITY, stay, rule(Mode.STEADY));
  }

  private static double mean(List<SiteModel> sites, ToDoubleFunction<SiteModel> of) {
    return sites.stream().mapToDouble(of).average().orElseThrow();
  }

  @ParameterizedTest
  @CsvSource({"2, 90, 1", "5, 90, 1", "10, 90, 1", "60, 75, 5"})
  void steady_siteWithAKnee_usesItWithoutMakingItSlow(
      double stay, double leastPercent, double mostSlowPercent) {
    double end = stay > 10 ? 1_200 : 600;

    List<SiteModel> sites =
        LongStream.rangeClosed(1, 5).mapToObj(seed -> site(seed, stay).run(end)).toList();

    assertThat(mean(sites, site -> site.admitted(60, end) / BEST * 100))
        .isBetween(leastPercent, 101.0);
    assertThat(mean(sites, site -> site.slowPercent(60))).isLessThanOrEqualTo(mostSlowPercent);
  }

  private static SiteModel workers(long seed) {
    var rule = new Adaptive(Mode.STEADY, 5, 1_000, 20, 5, 500, 1, 1.1, 0.8, 100);
    return new WorkerModel(seed, rule);
  }

  /** Those who came in together leave together: a swell comes back after every stay. */
  @Test
  void steady_everybodyStaysAsLong_letsNoSwellGrow() {
    List<SiteModel> sites =
        LongStream.rangeClosed(1, 5).mapToObj(seed -> workers(seed).run(600)).toList();

    double best = WorkerModel.PER_SECOND / SiteModel.REQUESTS;
    assertThat(mean(sites, site -> site.admitted(60, 180) / best * 100)).isBetween(85.0, 101.0);
    assertThat(mean(sites, site -> site.admitted(60, 600) / best * 100)).isBetween(85.0, 101.0);
    assertThat(sites).allMatch(site -> site.slowPercent(60) <= 5);
  }

  /** What a cut leaves, a gap and those who fill it, comes back as well. */
  @Test
  void steady_everybodyStaysAsLongAndTheSiteStalls_isWellSoon() {
    List<SiteModel> sites =
        LongStream.rangeClosed(1, 5)
            .mapToObj(
                seed -> workers(seed).at(100, site -> ((WorkerModel) site).stall(1_500)).run(300))
            .toList();

    double best = WorkerModel.PER_SECOND / SiteModel.REQUESTS;
    assertThat(mean(sites, site -> site.admitted(60, 300) / best * 100)).isBetween(85.0, 101.0);
    assertThat(sites).allMatch(site -> site.slowPercent(60) <= 5);
    assertThat(sites).allMatch(site -> site.slowPercent(200) <= 1);
  }

  /** Why there is another rule than that of the article. */
  @Test
  void aimd_siteWithAKnee_makesItSlow() {
    var site = new SiteModel(1, CAPACITY, 10, rule(Mode.AIMD)).run(300);

    assertThat(site.slowPercent(60)).isGreaterThan(30);
  }

  @ParameterizedTest
  @ValueSource(doubles = {5, 10, 60})
  void steady_capacityHalves_isBelowItWithinThreeStays(double stay) {
    double then = stay > 10 ? 500 : 200;
    for (long seed = 1; seed <= 4; seed++) {
      var site = site(seed, stay).at(then, s -> s.capacity /= 2).run(then + 3 * stay + 10);

      double people = CAPACITY / 2 / SiteModel.REQUESTS * stay;
      assertThat(site.past)
          .as("seed %d", seed)
          .anyMatch(
              tenth -> tenth.second() > then && tenth.inside() < people && tenth.limit() < people);
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {5, 10, 60})
  void steady_capacityDoubles_isUsedSoon(double stay) {
    double then = stay > 10 ? 500 : 200;
    double soon = Math.max(60, 3 * stay);
    for (long seed = 1; seed <= 4; seed++) {
      var site = site(seed, stay).at(then, s -> s.capacity *= 2).run(then + soon);

      assertThat(IntStream.iterate(0, from -> from + 10 <= soon, from -> from + 1))
          .as("seed %d", seed)
          .anyMatch(from -> site.admitted(then + from, then + from + 10) >= 0.9 * 2 * BEST);
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {5, 10, 60})
  void steady_slowForAnotherReason_isBackSoonAfterItsEnd(double stay) {
    double then = stay > 10 ? 500 : 200;
    for (long seed = 1; seed <= 4; seed++) {
      var site =
          site(seed, stay)
              .at(then, s -> s.extraMillis = 1_000)
              .at(then + 5, s -> s.extraMillis = 0)
              .run(then + 15);
      double before = site.admitted(then - 60, then);

      double back = site.admitted(then + 12, then + 15);
      assertThat(back).as("seed %d, before %s", seed, before).isGreaterThan(0.9 * before);
    }
  }
}
