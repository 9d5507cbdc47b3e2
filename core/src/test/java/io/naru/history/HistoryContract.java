package io.naru.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.queue.EntryKey;
import io.naru.queue.ActsContract;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;

/**
 * What every implementation of {@link History} promises of its queues, on the same store as their
 * own contract.
 */
public abstract class HistoryContract extends ActsContract {

  private static final Period ALL = (createdAt, now) -> new Period.Range(createdAt, now + 1);

  protected abstract History history();

  private Statistics statistics(Period period) {
    return await(history().statistics(queue, period)).orElseThrow();
  }

  /** The last minutes, with the one that is on. */
  private List<Minute> timeline(int minutes) {
    Period period =
        (_, now) -> new Period.Range((Minute.of(now) + 1 - minutes) * Minute.MICROS, now + 1);
    return await(history().timeline(queue, period)).orElseThrow();
  }

  private void open(int passTtlSeconds) {
    activateCalm(10, 10);
    activate(Map.of("passTtlSeconds", passTtlSeconds));
  }

  @Test
  void history_unknownQueue_isNone() {
    assertThat(await(history().statistics(queue, ALL))).isEmpty();
    assertThat(await(history().timeline(queue, ALL))).isEmpty();
  }

  @Test
  void statistics_emptyQueue_areNothing() {
    activateCalm(1, 1);

    assertThat(statistics(ALL).counts()).isEqualTo(Counts.NONE);
    assertThat(statistics(ALL).gotInShare()).isEmpty();
  }

  @Test
  void statistics_everyFate_isCounted() {
    open(300);
    EntryKey completes = keyOf("completes");
    EntryKey isBound = keyOf("bound");
    keyOf("no-show");
    EntryKey givesUp = keyOf("gives-up");
    keyOf("waits");
    advance(Duration.ofSeconds(90));
    admitByHand(3);
    redeem(isBound, "session");
    leave(givesUp);
    complete(completes);

    assertThat(statistics(ALL).noShows()).isZero();
    advance(Duration.ofSeconds(301));
    Statistics before = statistics(ALL);
    admitByHand(1);
    Statistics sum = statistics(ALL);

    assertThat(before.counts()).as("not noticed yet").isEqualTo(new Counts(5, 3, 1, 1, 2));
    assertThat(sum.counts()).isEqualTo(new Counts(5, 4, 1, 1, 2));
    assertThat(sum.gotInShare()).hasValue(0.8);
    assertThat(sum.noShows()).isEqualTo(1);
    assertThat(sum.waited().count()).isEqualTo(4);
    assertThat(sum.waited().percentile(50).orElseThrow()).isBetween(89L, 90 + SLACK.toSeconds());
    assertThat(sum.inside().count()).isEqualTo(3);
    assertThat(sum.inside().max().orElseThrow()).isBetween(300L, 301 + SLACK.toSeconds());
    assertThat(sum.abandonment().get(1).people()).isEqualTo(5);
    assertThat(sum.abandonment().get(1).left()).isEqualTo(1);
    assertThat(sum.abandonment().get(2).people()).isEqualTo(1);
  }

  @Test
  void statistics_ofATime_areOfThoseWhoJoinedThen() {
    open(300);
    keyOf("ann");
    EntryKey ben = keyOf("ben");
    EntryKey cat = keyOf("cat");
    leave(ben);
    Period period = (_, _) -> new Period.Range(ben.joined(), cat.joined());

    Statistics sum = statistics(period);

    assertThat(sum.counts()).isEqualTo(new Counts(1, 0, 0, 1, 0));
    assertThat(sum.time()).isEqualTo(new Period.Range(ben.joined(), cat.joined()));
  }

  @Test
  void timeline_whatHappened_isInItsMinute() {
    open(60);
    EntryKey ann = keyOf("ann");
    keyOf("ben");
    EntryKey cat = keyOf("cat");
    leave(cat);
    advance(Duration.ofMinutes(3));
    admitByHand(2);
    complete(ann);
    advance(Duration.ofMinutes(2));
    admitByHand(1);

    List<Minute> minutes = timeline(20);

    assertThat(minutes).hasSize(20);
    for (int i = 1; i < minutes.size(); i++) {
      assertThat(minutes.get(i).number()).isEqualTo(minutes.get(i - 1).number() + 1);
    }
    assertThat(numbers(minutes, Counts::joined)).hasSize(3);
    assertThat(numbers(minutes, Counts::admitted)).hasSize(2);
    assertThat(numbers(minutes, Counts::completed)).hasSize(1);
    assertThat(numbers(minutes, Counts::left)).hasSize(1);
    assertThat(numbers(minutes, Counts::expired)).hasSize(1);
    // A minute may have ended between any two steps, but not as many as time was moved.
    assertThat(numbers(minutes, Counts::admitted).getFirst())
        .isBetween(
            numbers(minutes, Counts::left).getLast() + 3,
            numbers(minutes, Counts::left).getLast() + 4);
    assertThat(numbers(minutes, Counts::expired).getFirst())
        .isBetween(
            numbers(minutes, Counts::completed).getLast() + 2,
            numbers(minutes, Counts::completed).getLast() + 3);
    assertThat(timeline(1)).hasSize(1);
  }

  /** In which minute each of them did so. */
  private static List<Long> numbers(List<Minute> minutes, ToLongFunction<Counts> kind) {
    return minutes.stream()
        .flatMap(
            minute ->
                Collections.nCopies((int) kind.applyAsLong(minute.counts()), minute.number())
                    .stream())
        .toList();
  }

  @Test
  void timeline_queueMadeAnew_beginsAnew() {
    open(60);
    keyOf("ann");
    advance(Duration.ofMinutes(1));
    keyOf("ben");
    await(queues().delete(queue));
    open(60);
    keyOf("cat");

    assertThat(timeline(5).stream().mapToLong(minute -> minute.counts().joined()).sum())
        .isEqualTo(1);
    assertThat(statistics(ALL).counts().joined()).isEqualTo(1);
  }
}
