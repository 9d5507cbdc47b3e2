package io.naru.decision;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.admission.Allowance;
import io.naru.line.Fact;
import io.naru.line.Score;
import io.naru.queue.Actor;
import io.naru.queue.Admission;
import io.naru.queue.Admitted;
import io.naru.queue.Edit;
import io.naru.queue.EndReason;
import io.naru.queue.Entry;
import io.naru.queue.Entry.Status;
import io.naru.queue.EntryKey;
import io.naru.queue.Joined;
import io.naru.queue.QueueId;
import io.naru.queue.Settings;
import io.naru.queue.Shifted;
import io.naru.queue.State;
import io.naru.queue.Stay.CompletedBy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What several requests come to that are decided together. */
class DecisionTest {

  private static final long NOW = 9_000_000;
  private static final QueueId QUEUE = new QueueId("TEST", "1");

  private final QueueState queue = new QueueState(QUEUE);
  private final EntryState overdue =
      new EntryState("ann", 100, 100, Status.ENTERED, 200, NOW, 0, "", EndReason.NONE);
  private final EntryState waiting = EntryState.joining("bob", 300, 300);
  private final List<EntryState> others = new ArrayList<>();

  @BeforeEach
  void open() {
    queue.settings =
        Settings.DEFAULT.with(Map.of("onExpiry", "REQUEUE", "entryIntervalSeconds", 3_600));
    queue.state = State.OPEN;
    queue.openness = new Openness(true, QueueState.NEVER);
    queue.version = 1;
    queue.change = 7;
    queue.lastJoined = 300;
    queue.frontScore = 300;
    queue.waiting = 1;
    queue.inside = 1;
    queue.joined = 2;
    queue.entered = 1;
    queue.allowance = Allowance.full(queue.settings.pacing(), NOW);
  }

  private Outcome decide(Request<?>... requests) {
    var book =
        new Book<RuntimeException>() {
          @Override
          public QueueState queue() {
            return queue;
          }

          @Override
          public List<EntryState> fetch(Needs needs) {
            return Stream.concat(Stream.of(overdue, overdue, waiting), others.stream()).toList();
          }

          @Override
          public List<EntryState> passed(Needs.Passed needs) {
            return List.of();
          }

          @Override
          public Map<Long, Long> seen(Collection<Long> joined) {
            return Map.of();
          }

          @Override
          public Map<Long, Debt> owed(Collection<Long> joined) {
            return Map.of();
          }

          @Override
          public Map<String, String> codes(Set<String> hashes) {
            return Map.of();
          }

          @Override
          public void write(Outcome outcome) {}
        };
    return Decision.make(book, List.of(requests), NOW, false);
  }

  private static Request.Admit byHand(int count) {
    return new Request.Admit(QUEUE, new Admission.ByHand(count, Actor.SYSTEM));
  }

  private static List<String> users(Admitted.Done admitted) {
    return admitted.entries().stream().map(e -> e.key().user()).toList();
  }

  @Test
  void admit_twiceTogether_leavesThoseItRequeuedInLine() {
    Outcome outcome = decide(byHand(5), byHand(5));

    var first = (Admitted.Done) requireNonNull(outcome.answers().get(0).value());
    var second = (Admitted.Done) requireNonNull(outcome.answers().get(1).value());
    assertThat(users(first)).containsExactly("bob");
    assertThat(users(second)).isEmpty();
    assertThat(second.more()).isTrue();
    assertThat(outcome.made()).hasSize(1);
    EntryState again = outcome.made().iterator().next();
    assertThat(again.fact()).isEqualTo(Fact.waiting("ann", NOW, NOW, 1));
    assertThat(outcome.touched()).containsExactly(overdue, waiting);
    assertThat(queue.frontScore).isEqualTo(again.score);
    assertThat(queue.waiting).isEqualTo(1);
    assertThat(queue.inside).isEqualTo(1);
  }

  /** Rule 6: who took a place over goes in from there, and nobody behind goes before them. */
  @Test
  void handOff_togetherWithAnAdmission_nobodyBehindGoesInFirst() {
    EntryState behind = EntryState.joining("dan", 500, 500);
    others.addAll(List.of(EntryState.joining("cid", 400, 400), behind));
    queue.waiting = 3;
    queue.lastJoined = 500;
    var place = new Request.HandOff(new EntryKey(QUEUE, "cid", 400), "phone");

    Outcome outcome = decide(byHand(2), place);

    var admitted = (Admitted.Done) requireNonNull(outcome.answers().get(0).value());
    assertThat(users(admitted)).containsExactly("bob", "phone");
    assertThat(behind.isWaiting()).isTrue();
    assertThat(queue.frontScore).isEqualTo(500);
    assertThat(outcome.change().facts())
        .contains(
            new Fact("cid", 400, 400, Status.LEFT, 0, 0),
            new Fact("phone", NOW, 400, Status.ENTERED, NOW, NOW + 300_000_000));
  }

  /** As a ledger may have it in which people were passed over before: nobody stands still there. */
  @Test
  void admit_whoWaitsBeforeTheFront_isFoundWithTheNextStep() {
    overdue.until = NOW + 1;
    queue.frontScore = 301;

    assertThat(users(admitted(decide(byHand(1))))).isEmpty();
    assertThat(users(admitted(decide(byHand(1))))).containsExactly("bob");
  }

  @Test
  void admit_whoWaitsBeforeTheFrontOfALane_isFoundWithTheNextStep() {
    overdue.until = NOW + 1;
    Settings before = queue.settings;
    List<Map<String, Object>> lanes =
        List.of(Map.of("name", "vip", "share", 1), Map.of("name", "normal", "share", 1));
    queue.settings = before.with(Map.of("lanes", lanes));
    queue.bands.edit(before.lanes(), queue.settings.lanes(), queue);
    requireNonNull(queue.bands.find(Bands.EVERYBODY)).front = 301;
    queue.frontScore = 301;

    assertThat(users(admitted(decide(byHand(1))))).isEmpty();
    assertThat(users(admitted(decide(byHand(1))))).containsExactly("bob");
  }

  @Test
  void admit_whoWaitsBeforeTheFrontWhenItEnds_hearsOfIt() {
    queue.state = queue.state.after(Edit.Act.END, "", NOW);
    queue.frontScore = 301;

    decide(byHand(1));
    Outcome outcome = decide(byHand(1));

    assertThat(waiting.status).isEqualTo(Status.EXPIRED);
    assertThat(outcome.answers().getFirst().value())
        .isInstanceOfSatisfying(
            Admitted.NotActive.class, told -> assertThat(told.more()).isFalse());
    long change = queue.change;
    decide(byHand(1));
    assertThat(queue.change).as("nobody is looked for who is not there").isEqualTo(change);
  }

  private static Admitted.Done admitted(Outcome outcome) {
    return (Admitted.Done) requireNonNull(outcome.answers().getFirst().value());
  }

  @Test
  void admit_somebodyWhoCameBack_goesInBeforeAllWhoWaitedLonger() {
    others.add(EntryState.joining("cid", 400, Score.inBand(Score.FALLBACK, 400)));
    queue.waiting = 2;
    queue.frontScore = others.getFirst().score;

    Outcome outcome = decide(byHand(1));

    assertThat(users((Admitted.Done) requireNonNull(outcome.answers().getFirst().value())))
        .containsExactly("cid");
    assertThat(queue.frontScore).isEqualTo(waiting.score);
  }

  @Test
  void move_togetherWithAnAdmission_passesNobodyWhoWasNotRead() {
    List<Map<String, Object>> lanes =
        List.of(Map.of("name", "vip", "share", 9), Map.of("name", "normal", "share", 1));
    Settings before = queue.settings;
    queue.settings = before.with(Map.of("lanes", lanes));
    queue.bands.edit(before.lanes(), queue.settings.lanes(), queue);
    queue.bands.add(Score.inBand(queue.bands.of("vip"), 200), queue);
    queue.waiting = 2;

    Outcome outcome = decide(new Request.Move(QUEUE, "bob", "vip", Actor.SYSTEM), byHand(1));

    assertThat(outcome.answers().getFirst().value()).isEqualTo(new Shifted.Done(1, true));
    var done = (Admitted.Done) requireNonNull(outcome.answers().getLast().value());
    assertThat(users(done)).isEmpty();
    assertThat(done.more()).isTrue();
    assertThat(waiting.isWaiting()).isTrue();
    assertThat(queue.bands.waiting(queue.bands.of("vip"))).isEqualTo(2);
  }

  /** Somebody stands before bob who is not read: the other lane has all the turns. */
  @Test
  void admit_togetherWithSomebodyAskedAboutInAnotherLane_forgetsNobodyBeforeThem() {
    queue.waiting = 2;
    queue.frontScore = 250;
    Settings before = queue.settings;
    List<Map<String, Object>> lanes =
        List.of(Map.of("name", "vip", "share", 1), Map.of("name", "normal", "share", 1));
    queue.settings = before.with(Map.of("lanes", lanes, "laneOrder", "STRICT"));
    queue.bands.edit(before.lanes(), queue.settings.lanes(), queue);
    for (long joined = 310; joined < 313; joined++) {
      long score = Score.inBand(queue.bands.of("vip"), joined);
      others.add(EntryState.joining("vip" + joined, joined, score));
      queue.bands.add(score, queue);
    }
    queue.waiting = 5;

    Outcome outcome = decide(new Request.Join(QUEUE, "bob"), byHand(1));

    var done = (Admitted.Done) requireNonNull(outcome.answers().getLast().value());
    assertThat(users(done)).containsExactly("vip310");
    assertThat(requireNonNull(queue.bands.find(Bands.EVERYBODY)).front).isEqualTo(250);
  }

  @Test
  void join_togetherWithWhatRequeued_isThatPlace() {
    Outcome outcome = decide(new Request.Join(QUEUE, "ann"), byHand(1));

    EntryState again = outcome.made().iterator().next();
    assertThat(outcome.made()).hasSize(1);
    assertThat(outcome.answers().getFirst().value())
        .isEqualTo(new JoinOutcome.InLine(again.in(QUEUE).key()));
  }

  @Test
  void change_ofARequeue_tellsOfBothEntriesTheNewOneLast() {
    var change = decide(byHand(1)).change();

    assertThat(change.from()).isEqualTo(7);
    assertThat(change.to()).isEqualTo(8);
    assertThat(change.facts())
        .containsExactly(
            new Fact("ann", 100, 100, Status.EXPIRED, 200, NOW),
            new Fact("bob", 300, 300, Status.ENTERED, NOW, NOW + 300_000_000),
            Fact.waiting("ann", NOW, NOW, 1));
    assertThat(change.waiting()).isEqualTo(1);
    assertThat(change.inside()).isEqualTo(1);
  }

  @Test
  void join_togetherWithTheCompletion_isOver() {
    queue.settings = queue.settings.with(Map.of("once", true));
    overdue.until = NOW + 1;
    Entry inside = overdue.in(QUEUE);

    Outcome outcome =
        decide(
            new Request.Join(QUEUE, "ann"),
            new Request.Complete(inside.key(), CompletedBy.VISITOR));

    assertThat(outcome.answers().getFirst().value())
        .isInstanceOfSatisfying(
            JoinOutcome.Final.class,
            told ->
                assertThat(told.joined())
                    .isInstanceOfSatisfying(
                        Joined.Over.class,
                        over ->
                            assertThat(over.place().entry())
                                .isEqualTo(inside.as(Status.COMPLETED))));
  }

  @Test
  void delete_twiceTogether_isTheFirstOnes() {
    Outcome outcome =
        decide(new Request.Delete(QUEUE, Actor.SYSTEM), new Request.Delete(QUEUE, Actor.SYSTEM));

    assertThat(outcome.isDeleted()).isTrue();
    assertThat(outcome.answers().get(0).value()).isEqualTo(true);
    assertThat(outcome.answers().get(1).value()).isEqualTo(false);
  }

  @Test
  void nothingToDo_isNoChange() {
    overdue.until = NOW + 1;

    Outcome outcome = decide(new Request.Join(QUEUE, "bob"));

    assertThat(outcome.isTouched()).isFalse();
    assertThat(queue.change).isEqualTo(7);
  }
}
