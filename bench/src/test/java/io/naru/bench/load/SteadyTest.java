package io.naru.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SteadyTest {

  private final Steady steady = new Steady(3, 0.05);

  @Test
  void after_climbing_isNotSteady() {
    for (int perSecond = 10_000; perSecond < 40_000; perSecond += 3_000) {
      assertThat(steady.after(perSecond)).isFalse();
    }
  }

  @Test
  void after_threeWindowsWithinTolerance_isSteady() {
    assertThat(steady.after(20_000)).isFalse();
    assertThat(steady.after(40_000)).isFalse();
    assertThat(steady.after(39_000)).isFalse();
    assertThat(steady.after(38_000)).isTrue();
  }

  @Test
  void after_dip_startsOver() {
    assertThat(steady.after(40_000)).isFalse();
    assertThat(steady.after(40_000)).isFalse();
    assertThat(steady.after(30_000)).isFalse();
    assertThat(steady.after(40_000)).isFalse();
    assertThat(steady.after(40_000)).isFalse();
    assertThat(steady.after(40_000)).isTrue();
  }
}
