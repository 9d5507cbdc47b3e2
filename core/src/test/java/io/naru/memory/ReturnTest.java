package io.naru.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.line.OverTurn;
import io.naru.line.Standing;
import io.naru.queue.Admission;
import io.naru.queue.Edit;
import io.naru.queue.EndReason;
import io.naru.queue.Ended;
import io.naru.queue.Entry;
import io.naru.queue.Entry.Status;
import io.naru.queue.EntryKey;
import io.naru.queue.HandedOff;
import io.naru.queue.Joined;
import io.naru.queue.Place;
import io.naru.queue.QueueId;
import io.naru.queue.Returned;
import io.naru.queue.Sightings;
import io.naru.queue.Sightings.Goes;
import io.naru.queue.Sightings.Sight;
import io.naru.queue.Stay.CompletedBy;
import io.naru.queue.Stock;
import io.naru.queue.Stock.Pool;
import io.naru.support.Seeded;
import io.naru.support.SettableClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Whoever comes back after a failed payment keeps the place inside for a while, or goes in next.
 */
class ReturnTest extends MemoryScenario {

  private static final Duration RETRY = Duration.ofSeconds(60);

  private Returned giveBack(EntryKey entry, boolean givesUp) {
    return await(queues().giveBack(entry, givesUp, CompletedBy.VISITOR));
  }

  private EntryKey has(Returned returned) {
    assertThat(returned).isInstanceOf(Returned.Has.class);
    return ((Returned.Has) returned).entry();
  }

  private void open(Map<String, Object> more) {
    Map<String, Object> settings = new HashMap<>(more);
    settings.putIfAbsent("maxCapacity", 2);
    activate(settings);
  }

  private List<OverTurn> over() {
    List<OverTurn> all = new ArrayList<>();
    await(line().over(queue, 0, all::add));
    return all;
  }

  @Test
  void giveBack_toTryAgain_keepsThePlaceInsideForAWhile() {
    open(Map.of("passTtlSeconds", 300));
    EntryKey ann = keyOf("ann");
    admitPaced();
    long now = placeOf("ann").entry().entered();

    assertThat(has(giveBack(ann, false))).isEqualTo(ann);
    advance(Duration.ofSeconds(10));
    assertThat(has(giveBack(ann, false))).as("told again").isEqualTo(ann);

    Entry kept = placeOf("ann").entry();
    assertThat(kept.status()).isEqualTo(Status.ENTERED);
    assertThat(kept.until()).isEqualTo(now + RETRY.toNanos() / 1_000);
    assertThat(complete(ann)).isEqualTo(Ended.DONE);
    assertThat(placeOf("ann").entry().status()).isEqualTo(Status.COMPLETED);
    assertThat(over())
        .as("a pass of before outlives it, and one of now does")
        .extracting(turn -> turn.entry().until())
        .containsExactlyInAnyOrder(now + 300_000_000L, kept.until());
    advance(Duration.ofSeconds(280));
    assertThat(over()).as("as long as that pass").hasSize(1);
  }

  @Test
  void giveBack_neverLongerThanThePass() {
    open(Map.of("passTtlSeconds", 30));
    EntryKey ann = keyOf("ann");
    admitPaced();
    giveBack(ann, false);
    advance(Duration.ofSeconds(30));

    assertThat(admitPaced().expired()).isEqualTo(1);
    assertThat(placeOf("ann").entry().status()).isEqualTo(Status.WAITING);
  }

  @Test
  void giveBack_triedInVain_standsBeforeEverybodyAtOnce() {
    open(Map.of("maxCapacity", 1));
    EntryKey ann = keyOf("ann");
    admitPaced();
    var others = joinMany("user", 3);
    giveBack(ann, false);
    advance(RETRY.minusNanos(1_000));
    assertThat(admitPaced().expired()).isZero();
    advance(Duration.ofNanos(1_000));
    assertThat(await(queues().due())).containsExactly(queue);

    // Its place inside is free; the new entry goes in with the next step.
    assertThat(keys(admitPaced())).isEqualTo(others.subList(0, 1));
    Place place = placeOf("ann");
    assertThat(place.entry().status()).isEqualTo(Status.WAITING);
    assertThat(place.entry().key()).isNotEqualTo(ann);
    assertThat(place.ahead()).isZero();
    assertThat(placeOf("user1").ahead()).as("a shown place never rises").isZero();
    complete(others.getFirst());
    advance(Duration.ofSeconds(1));
    assertThat(keys(admitPaced())).containsExactly(place.entry().key());
    assertThat(complete(ann)).as("late, with the old pass").isEqualTo(Ended.UNKNOWN);
  }

  @Test
  void giveBack_severalInVain_standInTheOrderOfComingBack() {
    open(Map.of());
    EntryKey ann = keyOf("ann");
    EntryKey ben = keyOf("ben");
    admitPaced();
    for (EntryKey back : List.of(ben, ann)) {
      advance(Duration.ofSeconds(1));
      giveBack(back, false);
    }
    advance(RETRY);

    assertThat(admitPaced().expired()).isEqualTo(2);

    assertThat(placeOf("ben").ahead()).isZero();
    assertThat(placeOf("ann").ahead()).isEqualTo(1);
  }

  @Test
  void giveBack_givenUp_endsTheTurnAndTellsTheGates() {
    open(Map.of());
    EntryKey ann = keyOf("ann");
    admitPaced();

    EntryKey next = has(giveBack(ann, true));

    assertThat(next).isNotEqualTo(ann);
    assertThat(((Standing.Found) await(line().locate(ann))).place().entry().isReturned()).isTrue();
    assertThat(figures().inside()).isZero();
    assertThat(over()).extracting(turn -> turn.entry().key()).containsExactly(ann);
    assertThat(has(giveBack(ann, true))).as("told again").isEqualTo(next);
    assertThat(has(giveBack(ann, false))).as("told again").isEqualTo(next);
    assertThat(figures().joined()).isEqualTo(2);
    assertThat(
            await(memory.entries(queue, "ann", Long.MAX_VALUE, 10))
                .orElseThrow()
                .getLast()
                .reason())
        .isEqualTo(EndReason.RETURNED);
    assertThat(join("ann")).isInstanceOf(Joined.AlreadyIn.class);
    leave(next);
    assertThat(giveBack(ann, true)).isInstanceOf(Returned.NotInside.class);
  }

  @Test
  void giveBack_moreOftenThanAllowed_isRefusedAndTheTurnGoesOn() {
    open(Map.of("maxReturns", 2, "retrySeconds", 0, "fallbackSeconds", 86_400));
    EntryKey turn = keyOf("ann");
    for (int i = 0; i < 2; i++) {
      advance(Duration.ofHours(2));
      admitPaced();
      turn = has(giveBack(turn, false));
    }
    advance(Duration.ofSeconds(1));
    admitPaced();

    assertThat(giveBack(turn, true)).isEqualTo(new Returned.TooOften(2));
    assertThat(placeOf("ann").entry().status()).isEqualTo(Status.ENTERED);
    activate(Map.of("maxReturns", 0));
    keyOf("ben");
    advance(Duration.ofSeconds(1));
    admitPaced();
    assertThat(giveBack(placeOf("ben").entry().key(), true)).isEqualTo(new Returned.TooOften(0));
  }

  /** Each name has returns of its own, and whoever asks for a new one has it. */
  @Test
  void giveBack_ofAPlaceTakenOverFromSomebodyWhoCameBack_isTooOften() {
    open(Map.of("maxReturns", 2, "retrySeconds", 0));
    EntryKey turn = keyOf("ann");
    admitPaced();
    EntryKey back = has(giveBack(turn, true));
    HandedOff.Has phone = (HandedOff.Has) await(queues().handOff(back, "phone"));
    HandedOff.Has tablet = (HandedOff.Has) await(queues().handOff(phone.entry(), "tablet"));
    advance(Duration.ofSeconds(1));
    admitPaced();

    assertThat(giveBack(tablet.entry(), true)).isEqualTo(new Returned.TooOften(2));
    assertThat(placeOf("tablet").entry().status()).isEqualTo(Status.ENTERED);
    assertThat(complete(tablet.entry())).isEqualTo(Ended.DONE);
    EntryKey ben = keyOf("ben");
    HandedOff.Has first = (HandedOff.Has) await(queues().handOff(ben, "ben-phone"));
    advance(Duration.ofSeconds(1));
    admitPaced();
    assertThat(giveBack(first.entry(), true)).as("of any other").isInstanceOf(Returned.Has.class);
  }

  @Test
  void giveBack_successAfterAll_isNoReturn() {
    open(Map.of("maxReturns", 1));
    EntryKey ann = keyOf("ann");
    admitPaced();
    giveBack(ann, false);
    complete(ann);
    advance(Duration.ofSeconds(90));
    EntryKey again = keyOf("ann");
    admitPaced();
    assertThat(giveBack(again, true)).isInstanceOf(Returned.Has.class);
  }

  @Test
  void giveBack_ofNobodyInside_isRefused() {
    open(Map.of());
    EntryKey ann = keyOf("ann");
    assertThat(giveBack(ann, true)).isInstanceOf(Returned.NotInside.class);
    admitPaced();
    complete(ann);
    assertThat(giveBack(ann, true)).isInstanceOf(Returned.NotInside.class);
    EntryKey other = new EntryKey(newQueueId(), "ann", 7);
    assertThat(giveBack(other, true)).isInstanceOf(Returned.NotInside.class);
  }

  @Test
  void giveBack_whereOnlyTheSiteMaySay_isRefusedToVisitors() {
    open(Map.of("completedBy", "SITE"));
    EntryKey ann = keyOf("ann");
    admitPaced();
    assertThat(giveBack(ann, true)).isInstanceOf(Returned.SiteOnly.class);
    assertThat(await(queues().giveBack(ann, true, CompletedBy.SITE)))
        .isInstanceOf(Returned.Has.class);
  }

  @Test
  void fallback_waitingInVain_endsAtTheVeryMicrosecond() {
    open(Map.of("stock", Map.of(), "fallbackSeconds", 60));
    push(1, 1, 0);
    EntryKey ann = keyOf("ann");
    admitPaced();
    keyOf("ben");
    advance(Duration.ofSeconds(1));
    EntryKey next = has(giveBack(ann, true));
    push(2, 0, 0);
    edit(Edit.of(Edit.Act.PAUSE, ""));
    advance(Duration.ofSeconds(60).minusNanos(1_000));
    assertThat(await(queues().due())).isEmpty();
    advance(Duration.ofNanos(1_000));
    assertThat(await(queues().due())).as("also while nobody is let in").containsExactly(queue);

    admit(new Admission.Paced());

    assertThat(await(queues().due())).isEmpty();
    assertThat(figures().waiting()).isEqualTo(1);
    assertThat(statusOf("ben")).isEqualTo(Status.WAITING);
    assertThat(leave(next)).isEqualTo(Ended.UNKNOWN);
  }

  @Test
  void fallback_handedOff_endsWithThePlaceAndKeepsNobodyBusy() {
    open(Map.of("stock", Map.of(), "fallbackSeconds", 60));
    push(1, 1, 0);
    EntryKey ann = keyOf("ann");
    admitPaced();
    advance(Duration.ofSeconds(1));
    EntryKey next = has(giveBack(ann, true));
    push(2, 0, 0);
    advance(Duration.ofSeconds(59));
    assertThat(await(queues().handOff(next, "phone"))).isInstanceOf(HandedOff.Has.class);
    advance(Duration.ofSeconds(1));
    assertThat(await(queues().due())).containsExactly(queue);

    admit(new Admission.Paced());

    assertThat(figures().waiting()).isZero();
    assertThat(await(queues().due())).isEmpty();
  }

  private void see(EntryKey... present) {
    List<Sight> people =
        Arrays.stream(present)
            .map(entry -> new Sight(entry.joined(), placeOf(entry.user()).score()))
            .toList();
    await(queues().see(queue, new Sightings("server", people, Goes.ON)));
  }

  /** Until those are passed over whose turn it is: a server looks, and sees nobody. */
  private void passOver() {
    for (int i = 0; i < 13; i++) {
      see();
      advance(Duration.ofSeconds(1));
    }
    see();
    assertThat(admitPaced().entries()).isEmpty();
  }

  @Test
  void fallback_passedOverAndSeenAgain_endsAtTheVeryMicrosecond() {
    open(Map.of("stock", Map.of(), "fallbackSeconds", 900, "absenceGraceSeconds", 3_600));
    push(1, 1, 0);
    EntryKey ann = keyOf("ann");
    admitPaced();
    advance(Duration.ofSeconds(1));
    EntryKey next = has(giveBack(ann, true));
    passOver();
    assertThat(figures().absent()).isEqualTo(1);
    see(next);
    assertThat(figures().absent()).isZero();
    push(2, 0, 0);
    advance(Duration.ofSeconds(887).minusNanos(1_000));
    assertThat(await(queues().due())).isEmpty();
    advance(Duration.ofNanos(1_000));
    assertThat(await(queues().due())).containsExactly(queue);

    admit(new Admission.Paced());

    assertThat(await(queues().due())).isEmpty();
    assertThat(figures().waiting()).isZero();
    assertThat(figures().left()).isEqualTo(1);
    assertThat(
            await(memory.entries(queue, "ann", Long.MAX_VALUE, 10))
                .orElseThrow()
                .getFirst()
                .reason())
        .isEqualTo(EndReason.RETURNED);
  }

  /** Whose wait is over by another rule is no reason to look after those behind them. */
  @Test
  void fallback_behindSomebodyAway_isDueInItsOwnTime() {
    open(
        Map.of(
            "stock", Map.of(),
            "fallbackSeconds", 900,
            "absenceGraceSeconds", 3_600,
            "passTtlSeconds", 3_600));
    push(1, 2, 0);
    EntryKey ann = keyOf("ann");
    EntryKey ben = keyOf("ben");
    admitPaced();
    advance(Duration.ofSeconds(1));
    giveBack(ann, true);
    advance(Duration.ofSeconds(500));
    EntryKey next = has(giveBack(ben, true));
    passOver();
    assertThat(figures().absent()).isEqualTo(2);
    see(next);
    push(2, 0, 0);
    advance(Duration.ofSeconds(887).minusNanos(1_000));

    assertThat(await(queues().due())).isEmpty();
    advance(Duration.ofNanos(1_000));
    assertThat(await(queues().due())).containsExactly(queue);
    admit(new Admission.Paced());

    assertThat(await(queues().due())).isEmpty();
    assertThat(figures().waiting()).isEqualTo(1);
    assertThat(statusOf("ann")).isEqualTo(Status.WAITING);
  }

  @Test
  void fallback_atTheEnd_endsWithTheQueue() {
    open(Map.of("maxCapacity", 1, "endsAt", clock.instant().plusSeconds(100).toString()));
    EntryKey ann = keyOf("ann");
    EntryKey ben = keyOf("ben");
    admitPaced();
    giveBack(ann, true);
    advance(Duration.ofSeconds(1));
    admitPaced();
    advance(Duration.ofSeconds(99));

    admit(new Admission.Paced());

    assertThat(figures().waiting()).isZero();
    EntryKey inside =
        placeOf("ann").entry().status() == Status.ENTERED ? placeOf("ann").entry().key() : ben;
    assertThat(giveBack(inside, true)).isInstanceOf(Returned.HasEnded.class);
  }

  @Test
  void returnedUnits_goToThoseWhoReturnedFirstEachOnce() {
    int people = 100;
    activate(
        Map.of(
            "stock", Map.of(), "maxCapacity", 1_000, "entryBatchSize", 1_000, "retrySeconds", 0));
    var keys = joinMany("user", 3 * people);
    push(1, 2 * people, 0);
    assertThat(admitPaced().entries()).hasSize(2 * people);
    push(2, 0, 2 * people);
    List<EntryKey> returned = new ArrayList<>();
    for (int i = 0; i < 2 * people; i += 2) {
      returned.add(has(giveBack(keys.get((i * 7) % (2 * people)), false)));
      has(giveBack(keys.get((i * 7) % (2 * people)), true));
    }
    assertThat(new HashSet<>(returned)).hasSize(people);
    advance(Duration.ofSeconds(1));
    assertThat(admitPaced().entries()).isEmpty();

    // One after the other their units come back, in any portions.
    List<EntryKey> admitted = new ArrayList<>();
    for (int i = 1; i <= 20; i++) {
      push(2 + i, 5, people);
      advance(Duration.ofSeconds(1));
      List<EntryKey> step = keys(admitPaced());
      assertThat(step).hasSize(5);
      step.forEach(this::complete);
      admitted.addAll(step);
    }
    assertThat(admitted).isEqualTo(returned);
    assertThat(placeOf("user200").ahead()).as("who has not been in").isZero();
  }

  private void push(long version, int remaining, int held) {
    await(queues().push(queue, new Stock(version, List.of(new Pool("all", remaining, held)))));
  }

  /** Any mixture: one entry each, those who came back first, and never more than they may. */
  @Test
  void randomHistory_servesThoseWhoCameBackFirstAndOnce() {
    Seeded.histories(40, random -> new History(random).run());
  }

  private static final class History {
    private final Random random;
    private final SettableClock clock = SettableClock.atOpening();
    private final MemoryQueues queues = new MemoryQueues(clock);
    private final QueueId queue = newQueueId();
    private final Map<String, EntryKey> turns = new HashMap<>();
    private final List<EntryKey> fallback = new ArrayList<>();
    private final Set<EntryKey> admitted = new HashSet<>();
    private final Map<String, Integer> returns = new HashMap<>();
    private int people;

    History(Random random) {
      this.random = random;
    }

    void run() {
      Map<String, Object> settings =
          Map.of(
              "maxCapacity", 5,
              "entryBatchSize", 3,
              "retrySeconds", 0,
              "maxReturns", 2,
              "passTtlSeconds", 86_400,
              "fallbackSeconds", 86_400);
      await(queues.edit(queue, Edit.activate(settings)));
      for (int i = 0; i < 300; i++) {
        step();
      }
      assertThat(admitted).isNotEmpty();
    }

    private void step() {
      switch (random.nextInt(4)) {
        case 0 -> await(queues.join(queue, "user" + people++));
        case 1 -> clock.advance(Duration.ofMillis(random.nextInt(1_500)));
        case 2 -> admit();
        default -> giveBack();
      }
    }

    private void admit() {
      for (Entry entry : done(await(queues.admit(queue, new Admission.Paced()))).entries()) {
        assertThat(admitted.add(entry.key())).as("once").isTrue();
        if (!fallback.isEmpty()) {
          assertThat(entry.key()).isEqualTo(fallback.removeFirst());
        }
        turns.put(entry.key().user(), entry.key());
      }
    }

    private void giveBack() {
      if (turns.isEmpty()) {
        return;
      }
      EntryKey turn =
          turns.values().stream().skip(random.nextInt(turns.size())).findFirst().orElseThrow();
      if (random.nextInt(4) == 0) {
        await(queues.complete(turn, CompletedBy.VISITOR));
        turns.remove(turn.user());
        return;
      }
      Returned returned = await(queues.giveBack(turn, random.nextBoolean(), CompletedBy.VISITOR));
      int before = returns.getOrDefault(turn.user(), 0);
      if (before == 2) {
        assertThat(returned).isEqualTo(new Returned.TooOften(2));
        return;
      }
      returns.put(turn.user(), before + 1);
      fallback.add(((Returned.Has) returned).entry());
      turns.remove(turn.user());
    }
  }
}
