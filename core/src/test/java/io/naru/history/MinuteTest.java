package io.naru.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class MinuteTest {

  private static final long CREATED = 3 * Minute.MICROS + 5;

  private static Minute joined(long number, long joined) {
    return new Minute(number, new Counts(joined, 0, 0, 0, 0));
  }

  private static Period.Range minutes(long from, long to) {
    return new Period.Range(from * Minute.MICROS, to * Minute.MICROS);
  }

  @Test
  void timeline_gaps_areMinutesInWhichNothingHappened() {
    List<Minute> totals = List.of(joined(3, 2), joined(5, 7));

    assertThat(Minute.timeline(totals, CREATED, minutes(2, 8)))
        .containsExactly(
            joined(2, 0), joined(3, 2), joined(4, 0), joined(5, 5), joined(6, 0), joined(7, 0));
  }

  @Test
  void timeline_beginsLater_countsFromTheLastBefore() {
    List<Minute> totals = List.of(joined(4, 2), joined(9, 7));

    assertThat(Minute.timeline(totals, CREATED, minutes(8, 10)))
        .containsExactly(joined(8, 0), joined(9, 5));
  }

  /** As of a queue that is older than what is kept: all it had counted is not of that minute. */
  @Test
  void timeline_beginningIsNotKnown_claimsNothingAboutIt() {
    List<Minute> totals = List.of(joined(5, 1_000), joined(6, 1_003));

    assertThat(Minute.timeline(totals, CREATED, minutes(4, 7)))
        .containsExactly(joined(4, 0), joined(5, 0), joined(6, 3));
  }

  @Test
  void timeline_withinAMinute_isThatMinute() {
    var time = new Period.Range(CREATED, CREATED + 1);

    assertThat(Minute.timeline(List.of(joined(3, 2)), CREATED, time)).containsExactly(joined(3, 2));
    assertThat(Minute.timeline(List.of(), CREATED, minutes(9, 9))).isEmpty();
  }

  @Test
  void since_moreWasCountedBefore_isNeverLessThanNothing() {
    assertThat(new Counts(1, 1, 1, 1, 1).since(new Counts(2, 2, 2, 2, 2))).isEqualTo(Counts.NONE);
  }
}
