package io.naru.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.naru.queue.Actor;
import io.naru.queue.Admission;
import io.naru.queue.Admitted;
import io.naru.queue.Edit;
import io.naru.queue.Edit.Act;
import io.naru.queue.Edited;
import io.naru.queue.Ended;
import io.naru.queue.Entry;
import io.naru.queue.EntryKey;
import io.naru.queue.Joined;
import io.naru.queue.Micros;
import io.naru.queue.QueueId;
import io.naru.queue.State;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** What happens at a set instant happens neither a microsecond before it nor after it. */
class TimesTest extends MemoryScenario {

  private static final Duration HOUR = Duration.ofHours(1);

  private static final Duration HAIR = Duration.ofNanos(1_000);

  private String in(Duration time) {
    return clock.instant().plus(time).toString();
  }

  private void openInAnHour() {
    Instant opening = clock.instant().plus(HOUR);
    activate(Map.of("notBefore", opening.toString(), "entryBatchSize", 2));
  }

  @Test
  void admit_before_letsNobodyInByHandEither() {
    openInAnHour();
    joinMany("user", 3);
    advance(HOUR.minusNanos(1_000));

    assertThat(admitPaced().entries()).isEmpty();
    Admitted.Done byHand = admitByHand(3);

    assertThat(byHand.entries()).isEmpty();
    assertThat(byHand.more()).isFalse();
    assertThat(await(queues().due())).isEmpty();
  }

  @Test
  void admit_before_saysWhenItBegins() {
    openInAnHour();
    joinMany("user", 3);

    Admitted.Done step = admitPaced();

    assertThat(step.nextRefillMicros()).isEqualTo(HOUR.toNanos() / 1_000);
  }

  @Test
  void admit_atTheInstant_letsOneBatchIn() {
    openInAnHour();
    var keys = joinMany("user", 3);
    advance(HOUR);

    assertThat(await(queues().due())).containsExactly(queue);
    assertThat(keys(admitPaced())).isEqualTo(keys.subList(0, 2));
    assertThat(admitPaced().entries()).isEmpty();
  }

  @Test
  void join_before_tellsNobodyOfRoom() {
    List<QueueId> told = new ArrayList<>();
    openInAnHour();
    queues().onRoom(told::add);

    keyOf("ann");
    assertThat(told).isEmpty();

    edit(Edit.put(Collections.singletonMap("notBefore", null), OptionalLong.empty()));
    assertThat(told).containsExactly(queue);
    assertThat(done(admit(new Admission.Paced())).entries()).hasSize(1);
  }

  @Test
  void expire_before_happensAllTheSame() {
    activate(Map.of("passTtlSeconds", 60));
    keyOf("ann");
    admitPaced();
    openInAnHour();
    advance(Duration.ofMinutes(2));

    assertThat(await(queues().due())).containsExactly(queue);
    assertThat(admitPaced().expired()).isEqualTo(1);
  }

  @Test
  void join_aHairBeforeOpensAt_isToldWhenAndNotPutInLine() {
    activate(Map.of("opensAt", in(HOUR)));
    long opensAt = Micros.now(clock) + HOUR.toNanos() / 1_000;
    advance(HOUR.minus(HAIR));

    assertThat(join("ann")).isEqualTo(new Joined.NotYet(opensAt));
    assertThat(figures().joined()).isZero();

    advance(HAIR);
    assertThat(join("ann")).isInstanceOf(Joined.Waiting.class);
    assertThat(admitPaced().entries()).hasSize(1);
  }

  @Test
  void opensAt_undoesNothingThatAnOperatorDid() {
    activate(Map.of("opensAt", in(HOUR)));
    edit(Edit.of(Act.CLOSE, ""));
    assertThat(refused("ann").reason()).isEqualTo(Joined.Reason.NOT_ACTIVE);
    edit(Edit.of(Act.OPEN, ""));
    edit(Edit.of(Act.PAUSE, ""));
    advance(HOUR);

    keyOf("ann");
    assertThat(await(queues().due())).isEmpty();
    assertThat(admit(new Admission.Paced())).isInstanceOf(Admitted.NotActive.class);
    assertThat(overview().queue().state().word()).isEqualTo(State.Word.PAUSED);
  }

  @Test
  void admit_ofThoseWhoWaitedAlready_beginsAtTheLaterOfOpensAtAndNotBefore() {
    activate(Map.of());
    keyOf("ann");
    activate(Map.of("opensAt", in(HOUR), "notBefore", in(HOUR.plus(HAIR))));
    advance(HOUR);

    assertThat(admitByHand(1).entries()).isEmpty();
    assertThat(admitPaced().nextRefillMicros()).isEqualTo(1);
    advance(HAIR);
    assertThat(admitPaced().entries()).hasSize(1);
  }

  @Test
  void join_fromClosesAtOn_isRefusedWhileThoseWhoWaitGoIn() {
    activate(Map.of("closesAt", in(HOUR), "entryBatchSize", 1));
    advance(HOUR.minus(HAIR));
    keyOf("ann");
    keyOf("ben");
    advance(HAIR);

    assertThat(refused("eve").reason()).isEqualTo(Joined.Reason.NOT_ACTIVE);
    assertThat(join("ben")).isInstanceOf(Joined.AlreadyIn.class);
    assertThat(admitPaced().entries()).hasSize(1);
    assertThat(overview().queue().state()).isEqualTo(State.OPEN);
  }

  @Test
  void admit_fromEndsAtOn_endsTheQueueInstead() {
    activate(Map.of("endsAt", in(HOUR), "entryBatchSize", 1));
    long endsAt = Micros.now(clock) + HOUR.toNanos() / 1_000;
    var keys = joinMany("user", 4);
    advance(HOUR.minus(HAIR));
    assertThat(keys(admitPaced())).isEqualTo(keys.subList(0, 1));
    assertThat(admitByHand(1).nextRefillMicros()).isEqualTo(1);
    advance(HAIR);

    assertThat(await(queues().due())).containsExactly(queue);
    assertThat(overview().queue().state().endedAt()).isEqualTo(endsAt);
    assertThat(admit(new Admission.ByHand(1, Actor.SYSTEM)))
        .isInstanceOfSatisfying(
            Admitted.NotActive.class, ended -> assertThat(ended.expired()).isEqualTo(2));
    assertThat(figures().entered()).isEqualTo(2);
    assertThat(overview().queue().version()).isEqualTo(2);
    assertThat(statusOf("user2")).isEqualTo(Entry.Status.EXPIRED);
    // Turns inside run out.
    assertThat(complete(keys.getFirst())).isEqualTo(Ended.DONE);
    assertThat(await(queues().due())).isEmpty();
  }

  @Test
  void anything_fromEndsAtOn_findsAQueueThatHasEnded() {
    activate(Map.of("endsAt", in(HOUR)));
    EntryKey ann = keyOf("ann");
    advance(HOUR);

    assertThat(refused("eve").reason()).isEqualTo(Joined.Reason.NOT_ACTIVE);
    assertThat(overview().queue().version()).as("carried out by the join").isEqualTo(2);
    assertThat(leave(ann)).isEqualTo(Ended.UNKNOWN);
    assertThat(edit(Edit.of(Act.RESUME, ""))).isInstanceOf(Edited.HasEnded.class);
    assertThat(edit(Edit.put(Map.of("endsAt", in(HOUR)), OptionalLong.empty())))
        .isInstanceOf(Edited.Updated.class);
    assertThat(overview().queue().state().isEnded()).as("a later end comes too late").isTrue();
  }

  @Test
  void end_ofAQueueThatNobodyIsIn_isSeenAtOnceAndCarriedOutOnce() {
    activate(Map.of("endsAt", in(HOUR)));
    advance(HOUR.multipliedBy(2));

    assertThat(overview().queue().state().word()).isEqualTo(State.Word.ENDED);
    assertThat(overview().queue().state().endedAt())
        .isEqualTo(Micros.now(clock) - HOUR.toNanos() / 1_000);
    assertThat(await(queues().due())).containsExactly(queue);
    admit(new Admission.Paced());
    assertThat(await(queues().due())).isEmpty();
    assertThat(overview().queue().version()).isEqualTo(2);
  }

  @Test
  void end_whileNobodyIsLetInOrOnlyTurnsAreLeft_isDue() {
    activate(Map.of("endsAt", in(HOUR), "passTtlSeconds", 86_400));
    keyOf("ann");
    admitPaced();
    advance(HOUR.minus(HAIR));
    assertThat(await(queues().due())).isEmpty();
    advance(HAIR);
    assertThat(await(queues().due())).containsExactly(queue);
    admit(new Admission.Paced());
    assertThat(await(queues().due())).isEmpty();
  }

  @Test
  void edit_toAnEndThatIsPast_isRefused() {
    activate(Map.of("endsAt", in(HOUR)));
    for (Duration past : List.of(Duration.ZERO, HAIR.negated())) {
      assertThatThrownBy(() -> edit(Edit.put(Map.of("endsAt", in(past)), OptionalLong.empty())))
          .hasMessageContaining("endsAt is past");
    }
    advance(HOUR);

    assertThatThrownBy(() -> activate(Map.of())).hasMessageContaining("endsAt is past");
    assertThat(overview().queue().state().isEnded()).isTrue();
    edit(Edit.put(Map.of("title", "Thank you"), OptionalLong.empty()));
    assertThat(activate(Map.of("endsAt", in(HOUR))).queue().state()).isEqualTo(State.OPEN);
    assertThat(join("ann")).isInstanceOf(Joined.Waiting.class);
  }

  /** A microsecond is enough, and nobody has to be there. */
  @Test
  void due_ofAQueueThatNobodyIsIn_isAtEachOfItsTimesAndNeverElse() {
    activate(
        Map.of(
            "lobbyOpensAt", in(HOUR),
            "opensAt", in(HOUR.multipliedBy(2)),
            "closesAt", in(HOUR.multipliedBy(3)),
            "endsAt", in(HOUR.multipliedBy(4))));
    for (int hour = 1; hour <= 5; hour++) {
      advance(HOUR.minus(HAIR));
      assertThat(await(queues().due())).as("before hour %d", hour).isEmpty();
      advance(HAIR);
      boolean isTurn = hour == 1 || hour == 3 || hour == 4;
      assertThat(await(queues().due())).as("hour %d", hour).hasSize(isTurn ? 1 : 0);
      admit(new Admission.Paced());
      assertThat(await(queues().due())).isEmpty();
    }
  }
}
