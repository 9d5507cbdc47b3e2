package io.naru.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.admission.Admission;
import io.naru.admission.Allowance;
import io.naru.line.Fact;
import io.naru.queue.Admitted;
import io.naru.queue.Entry;
import io.naru.queue.Entry.Status;
import io.naru.queue.QueueId;
import io.naru.queue.Settings;
import io.naru.queue.Stay.CompletedBy;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Requests that meet in one transaction, which a test from outside cannot arrange. */
class DecisionTest {

  private static final long NOW = 9_000_000;

  private final QueueRow queue = new QueueRow(1, new QueueId("TEST", "1"));
  private final EntryRow overdue = new EntryRow("ann", 100, Status.ENTERED, 200, NOW, 0, "");
  private final EntryRow waiting = EntryRow.joining("bob", 300);

  private Decision decision() {
    queue.settings =
        Settings.DEFAULT.with(Map.of("onExpiry", "REQUEUE", "entryIntervalSeconds", 3_600));
    queue.active = true;
    queue.version = 1;
    queue.change = 7;
    queue.lastScore = 300;
    queue.frontScore = 300;
    queue.waiting = 1;
    queue.inside = 1;
    queue.joined = 2;
    queue.entered = 1;
    queue.allowance = Allowance.full(queue.settings.pacing(), NOW);
    var decision = new Decision(queue, NOW);
    decision.readOfUsers(List.of(overdue), 0);
    decision.read(List.of(overdue, waiting));
    return decision;
  }

  private static List<String> users(Admitted admitted) {
    return ((Admitted.Done) admitted).entries().stream().map(e -> e.key().user()).toList();
  }

  @Test
  void admit_twiceInOneTransaction_leavesThoseItRequeuedInLine() {
    Decision decision = decision();

    assertThat(users(decision.admit(new Admission.ByHand(5)))).containsExactly("bob");
    Admitted second = decision.admit(new Admission.ByHand(5));

    assertThat(users(second)).isEmpty();
    assertThat(((Admitted.Done) second).more()).isTrue();
    assertThat(decision.made()).hasSize(1);
    EntryRow again = decision.made().getFirst();
    assertThat(again.fact()).isEqualTo(Fact.waiting("ann", NOW));
    assertThat(decision.touched()).containsExactly(overdue, waiting);
    assertThat(queue.frontScore).isEqualTo(again.score);
    assertThat(queue.waiting).isEqualTo(1);
    assertThat(queue.inside).isEqualTo(1);
  }

  @Test
  void join_inTheTransactionThatRequeued_isThatPlace() {
    Decision decision = decision();
    decision.admit(new Admission.ByHand(1));

    Decision.JoinDecision joined = decision.join("ann");

    assertThat(joined).isEqualTo(new Decision.JoinDecision.Already(decision.made().getFirst()));
    assertThat(decision.made()).hasSize(1);
  }

  @Test
  void change_ofARequeue_tellsTheCopyOfBothEntriesTheNewOneLast() {
    Decision decision = decision();
    decision.admit(new Admission.ByHand(1));

    var change = decision.change();

    assertThat(change.from()).isEqualTo(7);
    assertThat(change.to()).isEqualTo(8);
    assertThat(change.facts())
        .containsExactly(
            new Fact("ann", 100, Status.EXPIRED, 200, NOW),
            new Fact("bob", 300, Status.ENTERED, NOW, NOW + 300_000_000),
            Fact.waiting("ann", NOW));
    assertThat(change.waiting()).isEqualTo(1);
    assertThat(change.inside()).isEqualTo(1);
  }

  @Test
  void join_completedInTheSameTransaction_isOver() {
    Decision decision = decision();
    queue.settings = queue.settings.with(Map.of("once", true));
    overdue.until = NOW + 1;
    Entry inside = overdue.in(queue.queue);
    decision.complete(inside.key(), CompletedBy.VISITOR);

    assertThat(decision.join("ann")).isEqualTo(new Decision.JoinDecision.Over(overdue));
  }
}
