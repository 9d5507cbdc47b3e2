package io.naru.admission;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PacingTest {

  @ParameterizedTest
  @CsvSource({
    "100, 1, 1, 1",
    "100, 1, 100, 1",
    "100, 1, 101, 2",
    "100, 3, 1234, 39",
    "1, 3600, 10000000, 36000000000",
    "100000, 1, 1, 1"
  })
  void estimatedWaitSeconds_position_isFullIntervals(
      int batch, int intervalSeconds, long position, long seconds) {
    assertThat(new Pacing(batch, intervalSeconds).estimatedWaitSeconds(position))
        .isEqualTo(seconds);
  }

  @Test
  void intervalMicros_longest_doesNotOverflow() {
    assertThat(new Pacing(1, 3_600).intervalMicros()).isEqualTo(3_600_000_000L);
  }
}
