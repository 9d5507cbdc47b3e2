package io.naru.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class WaveTest {

  private static final Duration MINUTE = Duration.ofSeconds(60);

  @ParameterizedTest
  @EnumSource
  void everybody_comesInOrder_withinTheTime(Wave.Shape shape) {
    var wave = new Wave(1_000, MINUTE, shape);
    long before = 0;
    for (int n = 0; n < wave.visitors(); n++) {
      assertThat(wave.arrival(n)).isBetween(before, MINUTE.toNanos());
      before = wave.arrival(n);
    }
    assertThat(wave.arrival(0)).isZero();
    assertThat(before).isGreaterThan(MINUTE.toNanos() * 9 / 10);
  }

  /** When half of them have come. */
  @ParameterizedTest
  @CsvSource({"BURST, 7500", "STEADY, 30000", "RAMP, 42426"})
  void shape_saysWhenHalfOfThemAreThere(Wave.Shape shape, long millis) {
    assertThat(new Wave(1_000, MINUTE, shape).arrival(500) / 1_000_000).isEqualTo(millis);
  }

  @Test
  void overNoTime_allComeAtOnce() {
    var wave = new Wave(10, Duration.ZERO, Wave.Shape.RAMP);
    assertThat(wave.arrival(9)).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "0, 1, '--visitors: must be 1..1000000, is 0'",
    "1000001, 1, '--visitors: must be 1..1000000, is 1000001'",
    "-5, 1, '--visitors: must be 1..1000000, is -5'",
    "5, -1, '--over: must be 0..21600, is -1'",
    "5, 21601, '--over: must be 0..21600, is 21601'",
  })
  void absurd_isRefusedWithTheRange(int visitors, long seconds, String message) {
    assertThatThrownBy(() -> new Wave(visitors, Duration.ofSeconds(seconds), Wave.Shape.STEADY))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }
}
