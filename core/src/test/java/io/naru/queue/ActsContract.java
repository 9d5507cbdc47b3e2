package io.naru.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.naru.line.Moved;
import io.naru.queue.Edit.Act;
import io.naru.queue.Entry.Status;
import io.naru.queue.State.Word;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** What those {@link Queues} promise beside that know more than active or not. */
public abstract class ActsContract extends QueuesContract {

  private State act(Act act) {
    return act(act, "");
  }

  private State act(Act act, String reason) {
    assertThat(edit(Edit.of(act, reason))).as("%s", act).isInstanceOf(Edited.Updated.class);
    return overview().queue().state();
  }

  /** Until nobody is left to hear of the end; how many steps that took. */
  private int endAll() {
    int steps = 0;
    while (await(queues().due()).contains(queue)) {
      assertThat(admit(new Admission.Paced())).isInstanceOf(Admitted.NotActive.class);
      steps++;
      assertThat(steps).isLessThan(20);
    }
    return steps;
  }

  @Test
  void acts_inAnyOrder_areTwoFacts() {
    activateCalm(10, 10);

    assertThat(act(Act.PAUSE, "Back at 9 \"sharp\"").word()).isEqualTo(Word.PAUSED);
    assertThat(overview().queue().state())
        .isEqualTo(new State(true, true, "Back at 9 \"sharp\"", 0));
    assertThat(act(Act.CLOSE).word()).isEqualTo(Word.INACTIVE);
    assertThat(overview().queue().state().reason()).isEqualTo("Back at 9 \"sharp\"");
    assertThat(act(Act.RESUME)).isEqualTo(new State(false, false, "", 0));
    assertThat(overview().queue().state().word()).isEqualTo(Word.CLOSED);
    assertThat(act(Act.OPEN)).isEqualTo(State.OPEN);
    assertThat(act(Act.DEACTIVATE)).isEqualTo(State.INACTIVE);
    assertThat(act(Act.OPEN).word()).isEqualTo(Word.PAUSED);
    assertThat(activate(Map.of()).queue().state()).isEqualTo(State.OPEN);
  }

  private Signaled signal(int errors, double p95Millis) {
    return await(queues().signal(queue, new Signal("shop", 100, errors, p95Millis, 0)));
  }

  /** How many go in after a second of a rate that nobody has used up to now. */
  private int admittedInASecond() {
    advance(Duration.ofSeconds(1));
    return admitPaced().entries().size();
  }

  @Test
  void signal_queueThatFollowsNothing_isNotHeard() {
    assertThat(signal(0, 10)).isEqualTo(Signaled.NO_QUEUE);
    activateCalm(10, 10);
    Figures before = figures();

    assertThat(signal(0, 10)).isEqualTo(Signaled.NOT_ADAPTIVE);
    assertThat(figures()).isEqualTo(before);
  }

  @Test
  void signal_badNews_slowsTheQueueToItsFloor() {
    activate(
        Map.of(
            "maxCapacity",
            10_000,
            "adaptive",
            Map.of(
                "mode",
                "AIMD",
                "floorPerSecond",
                4,
                "startPerSecond",
                40,
                "ceilingPerSecond",
                80)));
    joinMany("user", 600);
    assertThat(admitPaced().entries()).hasSize(40);
    for (int i = 0; i < 4; i++) {
      assertThat(signal(0, 5_000)).isEqualTo(Signaled.HEARD);
      admittedInASecond();
    }
    // Other stores' clocks go on by themselves.
    assertThat(admittedInASecond()).isBetween(4, 6);
    for (int i = 0; i < 4; i++) {
      signal(0, 5);
      admittedInASecond();
    }
    assertThat(admittedInASecond()).isBetween(48, 81);
    activate(Map.of("adaptive", Map.of("floorPerSecond", 1, "ceilingPerSecond", 2)));
    assertThat(admittedInASecond()).isBetween(1, 3);
  }

  @Test
  void signal_fromAnotherTime_isRefusedAndChangesNothing() {
    activate(Map.of("adaptive", Map.of()));
    Figures before = figures();
    long tomorrow = overview().queue().createdAt() + 86_400 * Micros.PER_SECOND;
    var stage = queues().signal(queue, new Signal("shop", 100, 0, 1, tomorrow));

    InvalidValue problem = catchThrowableOfType(InvalidValue.class, () -> await(stage));
    assertThat(problem.field()).isEqualTo("at");
    assertThat(figures()).isEqualTo(before);
  }

  @Test
  void acts_again_changeNothing() {
    activateCalm(10, 10);
    for (Act act : List.of(Act.PAUSE, Act.CLOSE, Act.RESUME, Act.OPEN, Act.DEACTIVATE, Act.END)) {
      act(act);
      Queue once = overview().queue();
      act(act);
      assertThat(overview().queue()).as("%s", act).isEqualTo(once);
    }
    assertThat(overview().queue().version()).isEqualTo(7);
  }

  @Test
  void acts_onAVersionSeen_conflictOrAreDone() {
    activateCalm(10, 10);

    assertThat(edit(Edit.of(Act.PAUSE, "").ifVersion(OptionalLong.of(9))))
        .isEqualTo(new Edited.Conflict(1));
    assertThat(edit(Edit.of(Act.PAUSE, "").ifVersion(OptionalLong.of(1))))
        .isInstanceOf(Edited.Updated.class);
    for (Act act : Act.values()) {
      assertThat(await(queues().edit(newQueueId(), Edit.of(act, ""))))
          .isEqualTo(new Edited.NoQueue());
    }
  }

  @Test
  void acts_areSeenWithEveryPlace() {
    activateCalm(10, 10);
    long change = joinNew("ann").line().change();
    for (Act act : List.of(Act.PAUSE, Act.CLOSE, Act.RESUME, Act.OPEN)) {
      State state = act(act, act == Act.PAUSE ? "why" : "");
      LineState seen = placeOf("ann").line();
      assertThat(seen.state()).isEqualTo(state);
      assertThat(seen.version()).isEqualTo(overview().queue().version());
      assertThat(await(line().since(queue, change)))
          .isInstanceOfSatisfying(
              Moved.Steps.class, steps -> assertThat(steps.line()).isEqualTo(seen));
    }
  }

  @Test
  void pause_peopleWaiting_keepTheirPlacesAndMoreCome() throws InterruptedException {
    activateCalm(10, 2);
    List<EntryKey> keys = new ArrayList<>(joinMany("user", 3));
    act(Act.PAUSE);
    keys.add(keyOf("late"));

    assertThat(admit(new Admission.Paced())).isInstanceOf(Admitted.NotActive.class);
    assertThat(admit(new Admission.ByHand(1, Actor.SYSTEM))).isInstanceOf(Admitted.NotActive.class);
    assertThat(await(queues().due())).doesNotContain(queue);
    assertThat(placeOf("late").ahead()).isEqualTo(3);

    listen();
    act(Act.RESUME);
    assertToldOfRoom();
    assertThat(await(queues().due())).contains(queue);
    assertThat(keys(admitPaced())).isEqualTo(keys.subList(0, 2));
  }

  @Test
  void close_peopleWaiting_goOnAndNobodyJoins() {
    activateCalm(10, 2);
    List<EntryKey> keys = joinMany("user", 2);
    act(Act.CLOSE);

    assertThat(refused("late").reason()).isEqualTo(Joined.Reason.NOT_ACTIVE);
    assertThat(join("user0")).isInstanceOf(Joined.AlreadyIn.class);
    assertThat(await(queues().due())).contains(queue);
    assertThat(keys(admitPaced())).isEqualTo(keys);
    act(Act.OPEN);
    joinNew("late");
  }

  @Test
  void end_isForAllAtOnceAndThenStepByStep() throws InterruptedException {
    activateCalm(5_000, 10);
    List<EntryKey> keys = joinMany("user", 2_010);
    admitPaced();
    listen();

    State ended = act(Act.END);

    assertThat(ended.word()).isEqualTo(Word.ENDED);
    assertToldOfRoom();
    assertThat(figures().waiting()).isEqualTo(2_000);
    EntryKey last = keys.getLast();
    assertThat(await(line().locate(last)))
        .as("before any step")
        .isEqualTo(await(line().locate(queue, last.user())));
    assertThat(placeOf(last.user()).entry()).isEqualTo(new Entry(last, Status.EXPIRED, 0, 0));
    assertThat(leave(last)).isEqualTo(Ended.UNKNOWN);
    assertThat(refused(last.user()).reason()).isEqualTo(Joined.Reason.NOT_ACTIVE);
    assertThat(refused("late").reason()).isEqualTo(Joined.Reason.NOT_ACTIVE);
    assertThat(edit(Edit.activate(Map.of()))).isEqualTo(new Edited.StillEnding(2_000));

    assertThat(endAll()).isEqualTo(2);
    assertThat(figures().waiting()).isZero();
    assertThat(figures().expired()).isEqualTo(2_000);
    assertThat(figures().inside()).as("turns go on").isEqualTo(10);
    assertThat(statusOf(keys.getFirst().user())).isEqualTo(Status.ENTERED);
    assertThat(complete(keys.getFirst())).isEqualTo(Ended.DONE);
    assertThat(placeOf(last.user()).entry()).isEqualTo(new Entry(last, Status.EXPIRED, 0, 0));
  }

  @Test
  void end_turnsInside_runOutAndStandInLineNoMore() {
    activate(Map.of("passTtlSeconds", 60, "onExpiry", "REQUEUE"));
    keyOf("ann");
    keyOf("bob");
    admitPaced();
    act(Act.END);
    advance(Duration.ofSeconds(61));

    assertThat(refused("bob").reason()).isEqualTo(Joined.Reason.NOT_ACTIVE);
    assertThat(endAll()).isEqualTo(1);
    assertThat(statusOf("ann")).isEqualTo(Status.EXPIRED);
    assertThat(placeOf("ann").entry().isEndedWithQueue()).isFalse();
    assertThat(figures().waiting()).isZero();
    assertThat(figures().expired()).isEqualTo(2);
  }

  @Test
  void end_isUndoneByActivatingAlone() {
    activateCalm(10, 10);
    keyOf("ann");
    act(Act.END);
    for (Act act : List.of(Act.PAUSE, Act.RESUME, Act.CLOSE, Act.OPEN)) {
      assertThat(edit(Edit.of(act, ""))).as("%s", act).isEqualTo(new Edited.HasEnded());
    }
    assertThat(act(Act.DEACTIVATE).word()).isEqualTo(Word.ENDED);
    edit(Edit.put(Map.of("endText", Map.of("ko", "끝", "en", "Over")), OptionalLong.empty()));
    assertThat(overview().queue().settings().look().endText().in("ko")).isEqualTo("끝");
    endAll();

    assertThat(activate(Map.of()).queue().state()).isEqualTo(State.OPEN);
    assertThat(statusOf("ann")).as("as she was told").isEqualTo(Status.EXPIRED);
    assertThat(joinNew("ann").ahead()).isZero();
  }
}
