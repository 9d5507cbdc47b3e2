package io.naru.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.naru.bench.load.Sample;
import io.naru.bench.load.Target;
import java.net.InetSocketAddress;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class ContenderTest {

  @Test
  void times_machineSlowForAWhile_takesRatiosWithinRounds() {
    var enter = contender(1_000, 1_100, 200);
    var bare = contender(2_000, 1_900, 500);
    assertThat(enter.times(bare)).isEqualTo(0.5);
    // The quotient of the medians would set a round of one minute beside that of another.
    assertThat(enter.perSecond() / bare.perSecond()).isCloseTo(0.526, within(0.001));
  }

  @Test
  void times_differentRounds_isRefused() {
    assertThatThrownBy(() -> contender(1, 2).times(contender(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("different rounds");
  }

  private static Contender contender(long... perSecond) {
    var target = Target.http(InetSocketAddress.createUnresolved("nobody", 1));
    var contender =
        new Contender(
            "c",
            target,
            () -> {
              throw new AssertionError("its rounds are given, so nothing is sent");
            });
    for (var answers : perSecond) {
      contender.add(new Sample(answers, 1_000_000_000, 0, "", new Histogram(1_000, 3)));
    }
    return contender;
  }
}
