package io.naru.e2e.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.e2e.crash.Plan.Fault;
import io.naru.e2e.crash.Plan.Kind;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PlanTest {

  @Test
  void round_sameSeed_isTheSame_anotherSeedOrRoundIsNot() {
    assertThat(round(7, 3)).isEqualTo(round(7, 3)).isNotEmpty();
    assertThat(round(7, 3)).isNotEqualTo(round(7, 4)).isNotEqualTo(round(8, 3));
  }

  @Test
  void rounds_breakEverything_severalThingsAtOnce() {
    Set<Kind> broken = EnumSet.noneOf(Kind.class);
    long together = 0;
    for (int round = 1; round <= 30; round++) {
      List<Fault> faults = round(1, round);
      assertThat(faults).hasSizeGreaterThanOrEqualTo(5);
      for (Fault fault : faults) {
        broken.add(fault.kind());
        assertThat(fault.end()).isLessThanOrEqualTo(Plan.ROUND_MILLIS);
        together += faults.stream().filter(it -> !it.equals(fault) && overlap(it, fault)).count();
        assertThat(faults).noneMatch(it -> !it.equals(fault) && Plan.exclude(it, fault));
      }
    }
    assertThat(broken).containsExactlyInAnyOrder(Kind.values());
    assertThat(together).as("faults during another one").isGreaterThan(30);
  }

  private static List<Fault> round(long seed, int number) {
    return Plan.round(seed, number, EnumSet.allOf(Kind.class));
  }

  private static boolean overlap(Fault one, Fault other) {
    return one.start() < other.end() && other.start() < one.end();
  }
}
