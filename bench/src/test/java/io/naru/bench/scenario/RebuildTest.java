package io.naru.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RebuildTest {

  private static final Duration SHORT = Duration.ofSeconds(19);

  @Test
  void row_wholeMillion_isJudgedByItsTime() {
    assertThat(Rebuild.row(1_000_000, true, SHORT).notes())
        .last()
        .isEqualTo("at most 20 s: reached");
    assertThat(Rebuild.row(1_000_000, true, SHORT.plusSeconds(2)).notes())
        .last()
        .isEqualTo("at most 20 s: MISSED");
  }

  @Test
  void row_fewWaiting_hasNoVerdict() {
    assertThat(Rebuild.row(100_000, true, SHORT).notes())
        .last()
        .isEqualTo("at most 20 s: undecided");
  }

  @Test
  void row_neverWhole_isMissedHoweverFewWait() {
    assertThat(Rebuild.row(100_000, false, SHORT).notes())
        .contains("NOT WHOLE when we gave up", "at most 20 s: MISSED");
  }
}
