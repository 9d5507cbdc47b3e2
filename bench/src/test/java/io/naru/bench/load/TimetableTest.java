package io.naru.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TimetableTest {

  private static final long SECOND = 1_000_000_000;

  @Test
  void take_inTime_isEvenlySpread() {
    var timetable = new Timetable(5, 4, SECOND);
    for (var due : new long[] {5, 250_000_005, 500_000_005, 750_000_005}) {
      assertThat(timetable.isDue(due - 1)).isFalse();
      assertThat(timetable.isDue(due)).isTrue();
      assertThat(timetable.take(due)).isEqualTo(due);
    }
    assertThat(timetable.isDue(2 * SECOND)).isFalse();
    assertThat(timetable.isOver(0)).isTrue();
  }

  @Test
  void take_afterAStall_countsFromWhenEachWasDue() {
    var timetable = new Timetable(0, 1_000, SECOND);
    var late = 10 * SECOND;
    for (int i = 0; i < 1_000; i++) {
      assertThat(timetable.isOver(late)).isFalse();
      assertThat(timetable.isDue(late)).isTrue();
      assertThat(timetable.take(late)).isEqualTo(i * 1_000_000L);
    }
    assertThat(timetable.isOver(late)).isTrue();
  }

  @Test
  void take_rateThatDoesNotDivideASecond_doesNotDrift() {
    var timetable = new Timetable(0, 7_001.3, 100 * SECOND);
    long taken = 0;
    for (; timetable.isDue(100 * SECOND); taken++) {
      timetable.take(100 * SECOND);
    }
    assertThat(taken).isEqualTo(700_130);
  }

  @Test
  void isDue_clockPastItsEnd_goesOn() {
    // System.nanoTime may be anything, also about to overflow.
    var start = Long.MAX_VALUE - 10;
    var timetable = new Timetable(start, 1e8, 1_000);
    assertThat(timetable.take(start)).isEqualTo(start);
    assertThat(timetable.take(start)).isEqualTo(Long.MAX_VALUE);
    assertThat(timetable.isDue(start)).isFalse();
    assertThat(timetable.isDue(Long.MIN_VALUE + 20)).isTrue();
  }
}
