package io.naru.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.admission.Pacing.Kind;
import io.naru.queue.Settings;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NearnessTest {

  @ParameterizedTest
  @CsvSource({
    "STEPS, 1, 3600, 0, 1000",
    "STEPS, 100, 1, 0, 1100",
    "STEPS, 3000, 60, 0, 3500",
    "TOKEN_BUCKET, 100, 1, 5000, 6000",
    "LEAKY_BUCKET, 1000, 1, 0, 10100",
    "STEPS, 100000, 1, 0, 20000"
  })
  void nearAreThoseWhoCouldGoInWithinTenSecondsWithinBounds(
      Kind kind, int batch, int seconds, int burst, int near) {
    assertThat(Nearness.front(Pacing.of(kind, batch, seconds, burst))).isEqualTo(near);
  }

  @Test
  void whereItMattersWhoIsThere_moreAreLookedAt() {
    assertThat(Nearness.looked(new Pacing(100, 1))).isEqualTo(3_100);
    assertThat(Nearness.looked(new Pacing(1, 3_600))).isEqualTo(1_000);
    assertThat(Nearness.looked(new Pacing(100_000, 1))).isEqualTo(20_000);
  }

  @Test
  void aRateThatFollowsTheSiteCountsAsTheHighestThatItMayBe() {
    Settings settings =
        Settings.DEFAULT.with(
            Map.of("adaptive", Map.of("startPerSecond", 200, "ceilingPerSecond", 500)));

    assertThat(settings.pace().near()).isEqualTo(5_500);
  }
}
