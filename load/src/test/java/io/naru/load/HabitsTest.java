package io.naru.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HabitsTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration STAY = Duration.ofSeconds(10);

  @Test
  void crowd_hasTheSharesAskedFor() {
    var habits = new Habits(5, 30, 80, 25, PATIENCE, STAY);
    Map<Habits.End, Integer> ends = new EnumMap<>(Habits.End.class);
    int paying = 0;
    int failing = 0;
    double stays = 0;
    for (int n = 0; n < 20_000; n++) {
      Habits.Mind mind = habits.of(7, n);
      ends.merge(mind.end(), 1, Integer::sum);
      assertThat(mind.afterNanos()).isBetween(0L, PATIENCE.toNanos());
      if (mind.stayNanos() >= 0) {
        paying++;
        failing += mind.payFails() ? 1 : 0;
        stays += mind.stayNanos();
      }
    }
    assertThat(ends.get(Habits.End.LEAVES)).isCloseTo(1_000, within(150));
    assertThat(ends.get(Habits.End.SLEEPS)).isCloseTo(6_000, within(300));
    assertThat(paying).isCloseTo(16_000, within(300));
    assertThat(failing).isCloseTo(4_000, within(300));
    assertThat(stays / paying / 1e9).isCloseTo(10, within(0.2));
  }

  @Test
  void visitor_doesTheSameForTheSameSeed_whoeverElseThereIs() {
    assertThat(Habits.DEFAULT.of(42, 17)).isEqualTo(Habits.DEFAULT.of(42, 17));
    assertThat(Habits.DEFAULT.of(43, 17)).isNotEqualTo(Habits.DEFAULT.of(42, 17));
  }

  @ParameterizedTest
  @CsvSource({
    "-1, 0, 0, 0, 1, 1, '--leaving: must be 0..100, is -1.0'",
    "0, 101, 0, 0, 1, 1, '--sleeping: must be 0..100, is 101.0'",
    "60, 60, 0, 0, 1, 1, '--leaving and --sleeping together: must be 0..100, is 120.0'",
    "0, 0, NaN, 0, 1, 1, '--paying: must be 0..100, is NaN'",
    "0, 0, 0, 101, 1, 1, '--failing: must be 0..100, is 101.0'",
    "0, 0, 0, 0, 0, 1, '--patience: must be 1..86400, is 0'",
    "0, 0, 0, 0, 1, 86401, '--stay: must be 0..86400, is 86401'",
  })
  void absurd_isRefusedWithTheRange(
      double leaving,
      double sleeping,
      double paying,
      double failing,
      long patience,
      long stay,
      String message) {
    assertThatThrownBy(
            () ->
                new Habits(
                    leaving,
                    sleeping,
                    paying,
                    failing,
                    Duration.ofSeconds(patience),
                    Duration.ofSeconds(stay)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }
}
