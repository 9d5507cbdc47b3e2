package io.naru.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.queue.EndReason;
import io.naru.queue.Entry.Status;
import io.naru.queue.Micros;
import io.naru.support.Seeded;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class StatisticsTest {

  private static final long SECOND = Micros.PER_SECOND;
  private static final long NOW = 100_000 * SECOND;

  private final Statistics.Count count = new Statistics.Count(new Period.Range(0, NOW), NOW);

  private static Course course(Status status, long joined, long entered, long until, long ended) {
    return new Course(
        joined * SECOND,
        entered * SECOND,
        until * SECOND,
        ended * SECOND,
        status,
        false,
        EndReason.NONE);
  }

  @Test
  void sum_nobody_dividesByNothing() {
    Statistics none = count.sum();

    assertThat(none.counts()).isEqualTo(Counts.NONE);
    assertThat(none.gotInShare()).isEmpty();
    assertThat(none.waited().average()).isEmpty();
    assertThat(none.waited().percentile(50)).isEmpty();
    assertThat(none.inside().max()).isEmpty();
    assertThat(none.abandonment()).allMatch(band -> band.people() == 0 && band.left() == 0);
  }

  @Test
  void sum_everyFate_isCountedOnce() {
    count.add(course(Status.WAITING, 99_990, 0, 0, 0));
    count.add(course(Status.ENTERED, 100, 160, 200_000, 0));
    count.add(course(Status.COMPLETED, 100, 110, 400, 200));
    count.add(course(Status.LEFT, 100, 110, 400, 130));
    count.add(course(Status.LEFT, 100, 0, 0, 130));
    count.add(course(Status.EXPIRED, 100, 110, 400, 401));
    count.add(course(Status.EXPIRED, 100, 0, 0, 4_000));

    Statistics sum = count.sum();

    assertThat(sum.counts()).isEqualTo(new Counts(7, 4, 1, 2, 2));
    assertThat(sum.gotInShare()).hasValue(4.0 / 7);
    assertThat(sum.waited().count()).isEqualTo(4);
    assertThat(sum.waited().average()).hasValue(22.5);
    assertThat(sum.inside().count()).as("whose turn is over").isEqualTo(3);
    assertThat(sum.inside().max()).hasValue(291);
    assertThat(sum.noShows()).as("was let in and did nothing").isEqualTo(1);
  }

  @Test
  void add_timeIsUpAndNobodyNoticed_isExpired() {
    count.add(course(Status.ENTERED, 100, 110, 400, 0));

    Statistics sum = count.sum();

    assertThat(sum.counts().expired()).isEqualTo(1);
    assertThat(sum.noShows()).isEqualTo(1);
    assertThat(sum.inside().max()).hasValue(290);
  }

  @Test
  void add_aSessionWasBound_isNoNoShow() {
    count.add(new Course(1, 2, 3, 4, Status.EXPIRED, true, EndReason.NONE));

    assertThat(count.sum().noShows()).isZero();
  }

  @Test
  void abandonment_isByHowLongPeopleHadWaited() {
    count.add(course(Status.LEFT, 0, 0, 0, 59));
    count.add(course(Status.LEFT, 0, 0, 0, 60));
    count.add(course(Status.COMPLETED, 0, 700, 800, 750));
    count.add(course(Status.LEFT, 0, 700, 800, 750));
    count.add(course(Status.WAITING, 99_000, 0, 0, 0));
    count.add(course(Status.LEFT, 0, 0, 0, 7_200));

    List<Statistics.Band> bands = count.sum().abandonment();

    assertThat(bands.get(0)).isEqualTo(new Statistics.Band(0, OptionalLong.of(60), 6, 1));
    assertThat(bands.get(1)).isEqualTo(new Statistics.Band(60, OptionalLong.of(300), 5, 1));
    assertThat(bands.get(2)).isEqualTo(new Statistics.Band(300, OptionalLong.of(600), 4, 0));
    assertThat(bands.get(3)).isEqualTo(new Statistics.Band(600, OptionalLong.of(1_800), 4, 0));
    assertThat(bands.get(4)).isEqualTo(new Statistics.Band(1_800, OptionalLong.of(3_600), 1, 0));
    assertThat(bands.getLast()).isEqualTo(new Statistics.Band(7_200, OptionalLong.empty(), 1, 1));
  }

  @Test
  void abandonment_takenOutByAnOperatorOrAlongToAnotherDevice_didNotGiveUp() {
    count.add(new Course(SECOND, 0, 0, 9 * SECOND, Status.LEFT, false, EndReason.REMOVED));
    count.add(new Course(SECOND, 0, 0, 9 * SECOND, Status.LEFT, false, EndReason.HANDOFF));

    assertThat(count.sum().counts().left()).isEqualTo(2);
    assertThat(count.sum().abandonment()).allMatch(band -> band.left() == 0);
  }

  @Test
  void add_clockWentBack_tookNoTime() {
    count.add(course(Status.COMPLETED, 200, 100, 400, 50));

    Statistics sum = count.sum();

    assertThat(sum.waited().max()).hasValue(0);
    assertThat(sum.inside().average()).hasValue(0);
    assertThat(sum.abandonment().getFirst().people()).isEqualTo(1);
  }

  @Test
  void percentile_ofAnyNumbers_isThatOfTheSortedOnes() {
    Seeded.histories(
        100,
        random -> {
          var spread = new Spread();
          long[] seconds = random.longs(1 + random.nextInt(300), 0, 50).toArray();
          for (long took : seconds) {
            spread.add(took * SECOND + random.nextInt((int) SECOND));
          }
          Arrays.sort(seconds);
          for (int percent : new int[] {1, 50, 90, 95, 99, 100}) {
            int rank = (int) Math.ceil(seconds.length * percent / 100.0);
            assertThat(spread.percentile(percent)).hasValue(seconds[rank - 1]);
          }
        });
  }
}
