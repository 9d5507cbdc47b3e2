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
    "STEPS, 100, 1, 0, 3100",
    "STEPS, 3000, 60, 0, 4500",
    "TOKEN_BUCKET, 100, 1, 5000, 8000",
    "LEAKY_BUCKET, 500, 1, 0, 15050",
    "STEPS, 100000, 1, 0, 20000"
  })
  void nearAreThoseWhoCouldGoInWithinSecondsWithinBounds(
      Kind kind, int batch, int seconds, int burst, int near) {
    assertThat(Nearness.front(Pacing.of(kind, batch, seconds, burst))).isEqualTo(near);
  }

  @Test
  void aRateThatFollowsTheSiteCountsAsTheHighestThatItMayBe() {
    Settings settings =
        Settings.DEFAULT.with(
            Map.of("adaptive", Map.of("startPerSecond", 200, "ceilingPerSecond", 500)));

    assertThat(settings.pace().near()).isEqualTo(15_500);
  }
}
