package io.naru.rate;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.admission.Estimate;
import io.naru.admission.Evened;
import io.naru.admission.Observed;
import io.naru.admission.Pacing;
import io.naru.queue.Adaptive;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is told in a line whose rate follows its site, held against what came. */
class FollowedEstimateTest {

  private static final int TENTHS_OF_A_LOOK = 20;
  private static final int PEOPLE = 1_000_000;
  private static final int TURN_SECONDS = 300;

  /** By then the rate has been found. */
  private static final int FOUND_SECONDS = 90;

  private static final int END_SECONDS = 900;
  private static final Adaptive RULE =
      new Adaptive(Adaptive.Mode.STEADY, 20, 5_000, 1_000, 100, 500, 1, 1.1, 0.8, 100);

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void steadySite_isNearTheTruth(long seed) {
    List<SiteModel.Tenth> past = new SiteModel(seed, 1_665, 10, RULE).run(END_SECONDS).past;
    long[] entered = new long[past.size() + 1];
    for (int i = 0; i < past.size(); i++) {
      entered[i + 1] = entered[i] + past.get(i).admitted();
    }
    Observed seen = Observed.NOTHING;
    Observed.Count last = null;
    Evened rate = Evened.NOTHING;
    int promises = 0;
    List<String> strayed = new ArrayList<>();
    for (int i = TENTHS_OF_A_LOOK; i < past.size(); i += TENTHS_OF_A_LOOK) {
      SiteModel.Tenth now = past.get(i);
      var count = new Observed.Count(PEOPLE - entered[i + 1], now.inside(), PEOPLE, entered[i + 1]);
      seen =
          last == null
              ? Observed.first(count)
              : seen.next(last, count, TENTHS_OF_A_LOOK / 10.0, PEOPLE);
      last = count;
      rate = rate.next(now.perSecond(), TENTHS_OF_A_LOOK / 10.0);
      if (now.second() < FOUND_SECONDS) {
        continue;
      }
      var pacing = Pacing.of(Pacing.Kind.LEAKY_BUCKET, 100, 1, 0).atRate(rate.perSecond());
      for (int ahead = 100; entered[i + 1] + ahead < entered[past.size()]; ahead *= 3) {
        Estimate told =
            requireNonNull(
                Estimate.of(ahead, new Estimate.Bounds(pacing, PEOPLE, TURN_SECONDS), seen));
        double truth = secondsUntil(entered, i + 1, ahead);
        double middle = (told.lowSeconds() + told.highSeconds()) / 2.0;
        if (Math.abs(middle - truth) > Math.max(0.3 * truth, 4)) {
          strayed.add("%s for %d ahead at %s, but %s s".formatted(told, ahead, now, truth));
        }
        promises++;
      }
    }
    assertThat(promises).isGreaterThan(1_000);
    // As chance has it.
    assertThat(strayed).as("seed %d", seed).hasSizeLessThanOrEqualTo(promises / 100);
  }

  private static double secondsUntil(long[] entered, int from, int ahead) {
    int then = from;
    while (entered[then] <= entered[from] + ahead) {
      then++;
    }
    return (then - from) / 10.0;
  }
}
