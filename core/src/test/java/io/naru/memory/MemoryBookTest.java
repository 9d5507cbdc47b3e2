package io.naru.memory;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.decision.JoinOutcome;
import io.naru.decision.Outcome;
import io.naru.decision.Request;
import io.naru.line.Standing;
import io.naru.queue.Actor;
import io.naru.queue.Admission;
import io.naru.queue.Admitted;
import io.naru.queue.Claim;
import io.naru.queue.Edit;
import io.naru.queue.Entry.Status;
import io.naru.queue.EntryKey;
import io.naru.queue.HandedOff;
import io.naru.queue.Joined;
import io.naru.queue.Micros;
import io.naru.queue.QueueId;
import io.naru.queue.Sightings;
import io.naru.queue.Sightings.Sight;
import io.naru.queue.Stay.CompletedBy;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the contract cannot ask of every store: a clock that goes back, and what is kept. */
class MemoryBookTest {

  private static final long SECOND = Micros.PER_SECOND;
  private static final long HOUR = 3_600 * SECOND;
  private static final Admission PACED = new Admission.Paced();

  private static final QueueId QUEUE = new QueueId("TEST", "1");

  private final MemoryBook book =
      new MemoryBook(QUEUE, new MemoryTrail(InstantSource.system()), new MemoryFeed(() -> 0), 1);
  private long now = 24 * HOUR;

  private void activate(Map<String, Object> settings) {
    ask(new Request.Alter(QUEUE, Edit.activate(settings)));
  }

  private <A> A ask(Request<A> request) {
    return requireNonNull(
        book.decide(List.of(request), now).answers().getFirst().to(request).value());
  }

  private Joined joined(String user) {
    return ((JoinOutcome.Final) ask(new Request.Join(QUEUE, user))).joined();
  }

  private EntryKey join(String user) {
    return ((Joined.Waiting) joined(user)).place().entry().key();
  }

  /** Who goes in with the admission that is the last of these requests, by name. */
  private List<String> admittedWith(Request<?>... together) {
    Outcome outcome = book.decide(List.of(together), now);
    var done = (Admitted.Done) requireNonNull(outcome.answers().getLast().value());
    return done.entries().stream().map(entry -> entry.key().user()).toList();
  }

  private static Request.Admit byHand(int count) {
    return new Request.Admit(QUEUE, new Admission.ByHand(count, Actor.SYSTEM));
  }

  private Admitted.Done admit() {
    return (Admitted.Done) ask(new Request.Admit(QUEUE, PACED));
  }

  @Test
  void join_clockWentBack_standsBehindAllTheSame() {
    activate(Map.of());
    EntryKey before = join("before");
    now -= HOUR;

    EntryKey after = join("after");

    assertThat(after.joined()).isGreaterThan(before.joined());
    assertThat(book.overview(now).figures().longestWaitMicros()).isZero();
    assertThat(admit().entries()).extracting(entry -> entry.key()).containsExactly(before, after);
  }

  @Test
  void erase_withAJoinOfTheSamePerson_isDecidedFirstAndFreesEverything() {
    activate(Map.of("once", true, "newPlacesPerMinute", 1));
    EntryKey ann = join("ann");
    admit();
    ask(new Request.Complete(ann, CompletedBy.VISITOR));
    var again = new Request.Join(QUEUE, "ann");
    var erase = new Request.Erase(QUEUE, "ann", "erased-1", Actor.SYSTEM);

    var answers = book.decide(List.of(again, erase), now).answers();

    assertThat(answers.getFirst().to(again).value())
        .isInstanceOfSatisfying(
            JoinOutcome.Final.class,
            outcome -> assertThat(outcome.joined()).isInstanceOf(Joined.Waiting.class));
    assertThat(book.entries("ann", Long.MAX_VALUE, 10, now))
        .extracting(past -> past.entry().status())
        .containsExactly(Status.WAITING);
    assertThat(book.remembered()).isZero();
  }

  @Test
  void join_tooOftenBeforeTheClockWentBack_isNotHeldUpUntilItHasCaughtUp() {
    activate(Map.of());
    for (int i = 0; i < 3; i++) {
      ask(new Request.Leave(join("ann")));
    }
    now -= HOUR;

    for (int i = 0; i < 3; i++) {
      ask(new Request.Leave(join("ann")));
    }

    assertThat(joined("ann")).isEqualTo(new Joined.Refused(Joined.Reason.TOO_OFTEN, 60));
    now += 60 * SECOND;
    join("ann");
  }

  @Test
  void handOff_ofTheLastTogetherWithAnAdmission_keepsNobodyFromGoingIn() {
    activate(Map.of());
    join("ann");
    join("ben");
    join("cid");
    EntryKey last = join("dan");

    assertThat(admittedWith(new Request.HandOff(last, "phone"), byHand(1))).containsExactly("ann");
    assertThat(admittedWith(byHand(9))).containsExactly("ben", "cid", "phone");
  }

  @Test
  void handOff_ofTheFirstTogetherWithAnAdmission_goesInFromThere() {
    activate(Map.of());
    EntryKey first = join("ann");
    join("ben");

    assertThat(admittedWith(new Request.HandOff(first, "phone"), byHand(1)))
        .containsExactly("phone");
    assertThat(book.locate("phone", now))
        .isInstanceOfSatisfying(
            Standing.Found.class,
            found -> assertThat(found.place().entry().status()).isEqualTo(Status.ENTERED));
    assertThat(admittedWith(byHand(9))).containsExactly("ben");
  }

  @Test
  void handOff_fromHandToHandTogetherWithAnAdmission_isTheLastOnes() {
    activate(Map.of());
    EntryKey first = join("ann");
    join("ben");
    var toPhone = new Request.HandOff(first, "phone");
    var toTablet = new Request.HandOff(new EntryKey(QUEUE, "phone", now + 2), "tablet");

    assertThat(admittedWith(toPhone, toTablet, byHand(1))).containsExactly("tablet");
  }

  @Test
  void handOff_ofOneWhoWasPassedOverTogetherWithAnAdmission_isNext() {
    activate(Map.of("absenceGraceSeconds", 600));
    EntryKey away = join("ann");
    List<Sight> there =
        Stream.of("ben", "cid")
            .map(this::join)
            .map(key -> new Sight(key.joined(), key.joined()))
            .toList();
    for (int second = 0; second < 14; second++) {
      ask(new Request.See(QUEUE, new Sightings("server", there, Sightings.Goes.ON)));
      now += SECOND;
    }
    assertThat(admittedWith(byHand(1))).containsExactly("ben");
    assertThat(book.overview(now).figures().absent()).isEqualTo(1);

    assertThat(admittedWith(new Request.HandOff(away, "phone"), byHand(1)))
        .containsExactly("phone");
    assertThat(book.overview(now).figures().absent()).isZero();
  }

  private static final Claim CROWDED = new Claim("", "", new Claim.From(false, true, false));

  private EntryKey joinOwing(String user) {
    var joined = (JoinOutcome.Final) ask(new Request.Join(QUEUE, user, CROWDED));
    return ((Joined.Waiting) joined.joined()).place().entry().key();
  }

  private long absent() {
    return book.overview(now).figures().absent();
  }

  @Test
  void admit_twiceTogether_whoOwesIsPassedOverOnce() {
    activate(Map.of("doors", Map.of()));
    EntryKey ann = joinOwing("ann");
    join("ben");
    join("cid");

    assertThat(admittedWith(byHand(1), byHand(1))).containsExactly("cid");
    assertThat(absent()).isEqualTo(1);

    ask(new Request.Prove(ann));
    assertThat(absent()).isZero();
    assertThat(admittedWith(byHand(1), byHand(1))).isEmpty();
    assertThat(book.overview(now).figures().waiting()).isZero();
  }

  @Test
  void admit_twiceTogether_whoOwesInALaneIsPassedOverOnce() {
    activate(
        Map.of(
            "doors",
            Map.of(),
            "lanes",
            List.of(Map.of("name", "vip", "share", 1), Map.of("name", "all", "share", 1))));
    EntryKey ann = joinOwing("ann");
    join("ben");
    join("cid");

    assertThat(admittedWith(byHand(1), byHand(1))).containsExactly("cid");
    assertThat(absent()).isEqualTo(1);

    ask(new Request.Prove(ann));
    assertThat(absent()).isZero();
    assertThat(admittedWith(byHand(1))).containsExactly("ann");
  }

  /** Of one who was passed over nobody would know that, and what is kept of it would stay. */
  @Test
  void admit_againTogetherWithoutAnybodyToLetIn_whoWasPassedOverIsKnownToBe() {
    activate(Map.of("doors", Map.of(), "entryBatchSize", 1));
    EntryKey ann = joinOwing("ann");
    join("ben");
    var step = new Request.Admit(QUEUE, PACED);
    assertThat(admittedWith(step, step)).isEmpty();
    assertThat(absent()).isEqualTo(1);

    var taken = (HandedOff.Has) ask(new Request.HandOff(ann, "phone"));
    ask(new Request.Prove(taken.entry()));
    assertThat(absent()).isZero();
    // As long as the first device is told of it.
    now += 2 * HOUR;
    assertThat(admittedWith(byHand(1))).containsExactly("phone");
    assertThat(book.isDue(now)).isFalse();
  }

  @Test
  void edit_takesDoorsAwayAndPutsThemBackTogether_whoComesThenOwes() {
    activate(Map.of("doors", Map.of()));
    joinOwing("ann");
    Map<String, Object> none = new HashMap<>();
    none.put("doors", null);
    book.decide(
        List.of(
            new Request.Alter(QUEUE, Edit.activate(none)),
            new Request.Alter(QUEUE, Edit.activate(Map.of("doors", Map.of()))),
            new Request.Join(QUEUE, "ben", CROWDED)),
        now);

    assertThat(book.overview(now).figures().proofs().owing()).isEqualTo(1);
    assertThat(admittedWith(byHand(2))).containsExactly("ann");
    assertThat(absent()).isEqualTo(1);
  }

  @Test
  void admit_clockWentBack_nobodyStaysLongerThanOnePassLife() {
    activate(Map.of("passTtlSeconds", 60));
    join("ann");
    admit();
    now -= HOUR;
    admit();

    now += 60 * SECOND;
    assertThat(admit().expired()).isEqualTo(1);
  }

  @Test
  void admit_clockWentBack_goesOnWithinOneInterval() {
    activate(Map.of("entryBatchSize", 2, "entryIntervalSeconds", 10));
    for (int i = 0; i < 9; i++) {
      join("user" + i);
    }
    assertThat(admit().entries()).hasSize(2);
    now -= HOUR;

    Admitted.Done step = admit();
    assertThat(step.entries()).isEmpty();
    assertThat(step.nextRefillMicros()).isEqualTo(10 * SECOND);
    now += 10 * SECOND;
    assertThat(admit().entries()).hasSize(2);
  }

  @Test
  void remembered_manyComeAndGo_isBoundedWithoutAnyTick() {
    activate(Map.of());
    for (int i = 0; i < 50_000; i++) {
      ask(new Request.Leave(join("user" + i)));
      now += 10_000;
    }

    // A hundred a second, kept for a minute.
    assertThat(book.remembered()).isLessThanOrEqualTo(6_001);
  }

  @Test
  void remembered_manyComplete_areForgottenAfterAnHour() {
    activate(Map.of("entryBatchSize", 100, "newPlacesPerMinute", 0));
    for (int i = 0; i < 20_000; i++) {
      EntryKey key = join("user" + i);
      now += SECOND;
      admit();
      ask(new Request.Complete(key, CompletedBy.VISITOR));
    }

    assertThat(book.remembered()).isBetween(3_600, 3_601);
  }

  @Test
  void remembered_completedWhereOneMayEnterOnce_isForgottenAfterThirtyDays() {
    activate(Map.of("once", true));
    for (int i = 0; i < 100; i++) {
      EntryKey key = join("user" + i);
      admit();
      ask(new Request.Complete(key, CompletedBy.VISITOR));
    }
    now += 2 * HOUR;
    admit();
    assertThat(book.remembered()).isEqualTo(100);

    now += 30 * 24 * HOUR;
    admit();

    assertThat(book.remembered()).isZero();
  }
}
