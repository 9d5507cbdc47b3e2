package io.naru.line;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ScoreTest {

  @Test
  void next_clockAhead_isTheClock() {
    assertThat(Score.next(5, 100)).isEqualTo(100);
  }

  @Test
  void next_sameMicrosecondOrClockBack_isOneMore() {
    assertThat(Score.next(100, 100)).isEqualTo(101);
    assertThat(Score.next(100, 99)).isEqualTo(101);
    assertThat(Score.next(100, -5)).isEqualTo(101);
    assertThat(Score.next(0, -5)).isEqualTo(1);
  }

  @Test
  void next_anyClock_strictlyIncreases() {
    var random = new Random(1);
    long last = 0;
    for (int i = 0; i < 10_000; i++) {
      long next = Score.next(last, random.nextInt(20_000));
      assertThat(next).isGreaterThan(last);
      last = next;
    }
  }

  @Test
  void inBand_laterBand_standsBehindTheWholeEarlierOne() {
    for (int band = -11; band < 10; band++) {
      assertThat(Score.inBand(band, 0)).isLessThan(Score.inBand(band, 1));
      assertThat(Score.inBand(band, Score.BAND_MICROS - 1)).isLessThan(Score.inBand(band + 1, 0));
    }
  }

  @Test
  void inBand_everyone_isTheTimeItself() {
    assertThat(Score.inBand(0, 123_456)).isEqualTo(123_456);
  }

  @Test
  void inBand_anyBand_isExactAsADouble() {
    long exact = 1L << 53;
    long[] times = {0, 1, Score.BAND_MICROS / 2, Score.BAND_MICROS - 1};
    for (int band = -11; band <= 10; band++) {
      for (long time : times) {
        long score = Score.inBand(band, time);
        assertThat(Math.abs(score)).isLessThan(exact);
        assertThat((long) (double) score).isEqualTo(score);
      }
    }
  }

  @Test
  void lane_anyTimeInABand_isThatBand() {
    var random = new Random(2);
    for (int band = -11; band <= 10; band++) {
      assertThat(Score.lane(Score.inBand(band, 0))).isEqualTo(band);
      assertThat(Score.lane(Score.inBand(band, Score.BAND_MICROS - 1))).isEqualTo(band);
      for (int i = 0; i < 1_000; i++) {
        assertThat(Score.lane(Score.inBand(band, random.nextLong(Score.BAND_MICROS))))
            .isEqualTo(band);
      }
    }
  }

  @Test
  void unsettled_eachLane_hasABandOfItsOwnBeyondAllLanes() {
    Set<Integer> bands = new HashSet<>();
    for (int lane = Score.FIRST_LANE; lane <= Score.LAST_LANE; lane++) {
      int band = Score.unsettled(lane);
      bands.add(band);
      assertThat(Score.isUnsettled(lane)).isFalse();
      assertThat(Score.isUnsettled(band)).isTrue();
      assertThat(Score.settled(band)).isEqualTo(lane);
      assertThat(Score.settled(lane)).isEqualTo(lane);
    }
    assertThat(bands).hasSize(10).allMatch(band -> band < Score.FALLBACK || band > Score.LAST_LANE);
  }

  @Test
  void bandMicros_isTwentyFiveYears() {
    assertThat(Score.BAND_MICROS).isEqualTo(788_940_000_000_000L);
  }

  @Test
  void inBand_outside_isRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> Score.inBand(-12, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> Score.inBand(11, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> Score.inBand(0, -1));
    assertThatIllegalArgumentException().isThrownBy(() -> Score.inBand(0, Score.BAND_MICROS));
  }
}
