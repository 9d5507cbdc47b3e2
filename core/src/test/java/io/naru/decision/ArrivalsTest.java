package io.naru.decision;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.line.Score;
import io.naru.queue.Fairness;
import io.naru.queue.Micros;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Many who arrive at once, of whom some are read at a time. */
class ArrivalsTest {

  private static final String SEED = "22".repeat(32);
  private static final long BEGIN = 1_000_000_000;
  private static final Fairness JITTER = new Fairness(Fairness.Draw.SEED, 1_000, 0, true);

  private final Arrivals arrivals = new Arrivals();

  private static List<EntryState> joining(int count, long microsApart) {
    List<EntryState> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long joined = BEGIN + i * microsApart;
      int band = Score.unsettled(Bands.EVERYBODY);
      all.add(EntryState.joining("user" + i, joined, Score.inBand(band, joined)));
    }
    return all;
  }

  private static long due(EntryState entry) {
    return entry.joined
        + Long.remainderUnsigned(
            new Chance(SEED).number(entry.joined), 1_000L * JITTER.jitterMillis() + 1);
  }

  /** One step, of as many as are read; those who have their place are not without one then. */
  private List<EntryState> take(List<EntryState> unsettled, int read, long now) {
    List<EntryState> some = unsettled.stream().limit(read).toList();
    long knownUpTo = read < unsettled.size() ? some.getLast().joined : QueueState.NEVER;
    long last = unsettled.isEmpty() ? BEGIN : unsettled.getLast().joined;
    List<EntryState> taken = arrivals.take(some, knownUpTo, JITTER, SEED, now, last);
    unsettled.removeAll(new HashSet<>(taken));
    return taken;
  }

  @Test
  void jitter_moreThanAreReadWithinOneJitter_getTheirPlacesAllTheSame() {
    List<EntryState> unsettled = joining(400, 10);
    long now = BEGIN + 5_000_000;
    for (int steps = 0; !unsettled.isEmpty(); steps++) {
      assertThat(take(unsettled, 100, now)).isNotEmpty();
      assertThat(steps).isLessThan(400);
    }
    assertThat(arrivals.next()).isEqualTo(QueueState.NEVER);
  }

  @Test
  void jitter_moreThanAreReadButNobodyDue_isLookedAtAgainWhenTheFirstIs() {
    List<EntryState> unsettled = joining(400, 10);
    long now = unsettled.getLast().joined + 1;
    take(unsettled, 100, now);

    long first = unsettled.stream().limit(100).mapToLong(ArrivalsTest::due).min().orElseThrow();
    assertThat(first).isGreaterThan(now);
    assertThat(arrivals.next()).isEqualTo(first);
  }

  @Test
  void jitter_clockWentBackBehindMoreThanOneStepTakes_goesOnAtOnce() {
    List<EntryState> unsettled = joining(2 * Arrivals.FULL, 10);
    long now = BEGIN - 100 * Micros.PER_SECOND;

    assertThat(take(unsettled, Arrivals.MOST, now)).hasSize(Arrivals.FULL);
    assertThat(arrivals.next()).isLessThanOrEqualTo(now);
    assertThat(take(unsettled, Arrivals.MOST, now)).hasSize(Arrivals.FULL);
    assertThat(arrivals.next()).isEqualTo(QueueState.NEVER);
  }

  @Test
  void jitter_asManyAsOneServerTakes_getTheirPlacesInOrderAndInBoundedSteps() {
    List<EntryState> unsettled = joining(30_000, 20);
    List<EntryState> order = new ArrayList<>();
    while (!unsettled.isEmpty()) {
      List<EntryState> taken = take(unsettled, Arrivals.MOST, BEGIN + 5_000_000);
      assertThat(taken).isNotEmpty().hasSizeLessThanOrEqualTo(Arrivals.FULL);
      order.addAll(taken);
    }
    assertThat(order).isSortedAccordingTo(Comparator.comparingLong(ArrivalsTest::due));
  }
}
