package io.naru.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.line.Standing;
import io.naru.queue.Actor;
import io.naru.queue.ActsContract;
import io.naru.queue.EndReason;
import io.naru.queue.Ended;
import io.naru.queue.Entry;
import io.naru.queue.Entry.Status;
import io.naru.queue.EntryKey;
import io.naru.queue.Erased;
import io.naru.queue.Joined;
import io.naru.queue.Micros;
import io.naru.queue.Removed;
import java.time.Duration;
import java.util.ArrayList;
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

  /** Many who join at one moment do so a little ahead of it. */
  private static final Period ALL =
      (createdAt, now) -> new Period.Range(createdAt, now + Micros.PER_SECOND);

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

  private List<Past> entries(String user) {
    return await(history().entries(queue, user, Long.MAX_VALUE, 10)).orElseThrow();
  }

  private Removed remove(String user) {
    return await(queues().remove(queue, user, EndReason.REMOVED, Actor.SYSTEM));
  }

  private Erased erase(String user, String name) {
    return await(queues().erase(queue, user, name, Actor.SYSTEM));
  }

  // One person.

  @Test
  void entries_ofOnePerson_areTheLatestFirst() {
    open(300);
    EntryKey first = keyOf("ann");
    admitByHand(1);
    complete(first);
    EntryKey second = keyOf("ann");
    keyOf("ben");

    List<Past> found = entries("ann");

    assertThat(found).extracting(past -> past.entry().key()).containsExactly(second, first);
    assertThat(found.getFirst().ended()).isZero();
    assertThat(found.getLast().entry().status()).isEqualTo(Status.COMPLETED);
    assertThat(found.getLast().ended()).isGreaterThanOrEqualTo(first.joined());
    assertThat(found.getLast().reason()).isEqualTo(EndReason.NONE);
    assertThat(await(history().entries(queue, "ann", second.joined(), 10)).orElseThrow())
        .containsExactly(found.getLast());
    assertThat(await(history().entries(queue, "ann", Long.MAX_VALUE, 1)).orElseThrow())
        .containsExactly(found.getFirst());
    assertThat(entries("nobody")).isEmpty();
    assertThat(await(history().entries(newQueueId(), "ann", Long.MAX_VALUE, 1))).isEmpty();
  }

  @Test
  void entry_byWhenItJoined_isThatOne() {
    open(300);
    keyOf("ann");
    EntryKey ben = keyOf("ben");

    assertThat(await(history().entry(queue, ben.joined())).orElseThrow().entry())
        .isEqualTo(Entry.waiting(ben));
    assertThat(await(history().entry(queue, 1))).isEmpty();
    assertThat(await(history().entry(newQueueId(), ben.joined()))).isEmpty();
  }

  @Test
  void entries_timeIsUpAndNobodyNoticed_haveExpired() {
    open(60);
    keyOf("ann");
    admitByHand(1);
    advance(Duration.ofSeconds(61));

    Past past = entries("ann").getFirst();

    assertThat(past.entry().status()).isEqualTo(Status.EXPIRED);
    assertThat(past.ended()).isEqualTo(past.entry().until());
  }

  // Taking somebody out.

  @Test
  void remove_whoWaits_othersMoveUp() {
    open(300);
    EntryKey ann = keyOf("ann");
    keyOf("ben");

    assertThat(remove("ann")).isEqualTo(new Removed.Done(Entry.waiting(ann)));

    assertThat(remove("ann")).isEqualTo(new Removed.Nobody());
    assertThat(await(line().locate(queue, "ann"))).isEqualTo(new Standing.Unknown());
    assertThat(placeOf("ben").ahead()).isZero();
    assertThat(figures().left()).isEqualTo(1);
    Past past = entries("ann").getFirst();
    assertThat(past.entry().status()).isEqualTo(Status.LEFT);
    assertThat(past.reason()).isEqualTo(EndReason.REMOVED);
  }

  @Test
  void remove_whoIsInside_freesThePlaceAndTheGatesHear() {
    open(300);
    EntryKey ann = keyOf("ann");
    admitByHand(1);

    assertThat(await(queues().remove(queue, "ann", EndReason.REVOKED, Actor.SYSTEM)))
        .isInstanceOf(Removed.Done.class);

    assertThat(figures().inside()).isZero();
    assertThat(entries("ann").getFirst().reason()).isEqualTo(EndReason.REVOKED);
    List<EntryKey> over = new ArrayList<>();
    await(line().over(queue, 0, turn -> over.add(turn.entry().key())));
    assertThat(over).containsExactly(ann);
  }

  @Test
  void remove_nobodyOrNoQueue_isSaid() {
    assertThat(remove("ann")).isEqualTo(new Removed.NoQueue());
    assertThat(erase("ann", "erased-0")).isEqualTo(Erased.NO_QUEUE);
    open(60);
    assertThat(remove("ann")).isEqualTo(new Removed.Nobody());
    keyOf("ann");
    admitByHand(1);
    advance(Duration.ofSeconds(61));
    assertThat(remove("ann")).as("whose time is up").isEqualTo(new Removed.Nobody());
  }

  // Erasing.

  @Test
  void erase_whoWaits_isGoneAndTheNumbersStay() {
    open(300);
    EntryKey before = keyOf("ann");
    admitByHand(1);
    redeem(before, "session-of-ann");
    complete(before);
    keyOf("ann");
    keyOf("ben");

    assertThat(erase("ann", "erased-1")).isEqualTo(Erased.DONE);

    assertThat(entries("ann")).isEmpty();
    assertThat(placeOf("ben").ahead()).isZero();
    assertThat(await(line().locate(queue, "ann"))).isEqualTo(new Standing.Unknown());
    assertThat(statistics(ALL).counts()).isEqualTo(new Counts(3, 1, 1, 1, 0));
    assertThat(erase("ann", "erased-2")).as("again").isEqualTo(Erased.DONE);
    // A late command for what was theirs hits nobody.
    assertThat(leave(before)).isEqualTo(Ended.UNKNOWN);
  }

  @Test
  void erase_whoCompletedWhereOneMayEnterOnce_isAsIfTheyHadNeverBeen() {
    open(300);
    activate(Map.of("once", true, "newPlacesPerMinute", 1));
    EntryKey ann = keyOf("ann");
    admitByHand(1);
    complete(ann);
    assertThat(join("ann")).isInstanceOf(Joined.Over.class);

    erase("ann", "erased-1");

    assertThat(join("ann")).isInstanceOf(Joined.Waiting.class);
    assertThat(entries("ann")).hasSize(1);
  }

  @Test
  void erase_whoIsInsideOrOverdue_freesThePlace() {
    open(60);
    keyOf("ann");
    keyOf("ben");
    admitByHand(1);
    advance(Duration.ofSeconds(61));
    erase("ann", "erased-1");
    assertThat(figures().expired()).isEqualTo(1);
    admitByHand(1);
    erase("ben", "erased-2");

    assertThat(figures().inside()).isZero();
    assertThat(figures().left()).isEqualTo(1);
    assertThat(joinNew("ben").ahead()).isZero();
  }

  // In numbers.

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
    await(queues().delete(queue, Actor.SYSTEM));
    open(60);
    keyOf("cat");

    assertThat(timeline(5).stream().mapToLong(minute -> minute.counts().joined()).sum())
        .isEqualTo(1);
    assertThat(statistics(ALL).counts().joined()).isEqualTo(1);
  }
}
