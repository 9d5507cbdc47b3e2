package io.naru.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.admission.Admission;
import io.naru.queue.Admitted;
import io.naru.queue.Edit;
import io.naru.queue.EntryKey;
import io.naru.queue.Joined;
import io.naru.queue.Micros;
import io.naru.queue.QueueId;
import io.naru.queue.Stay.CompletedBy;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the contract cannot ask of every store: a clock that goes back, and what is kept. */
class MemoryQueueTest {

  private static final long SECOND = Micros.PER_SECOND;
  private static final long HOUR = 3_600 * SECOND;
  private static final Admission PACED = new Admission.Paced();

  private final MemoryQueue queue = new MemoryQueue(new QueueId("TEST", "1"), 0);
  private long now = 24 * HOUR;

  private void activate(Map<String, Object> settings) {
    queue.edit(Edit.activate(settings), now);
  }

  private EntryKey join(String user) {
    return ((Joined.Waiting) queue.join(user, now)).place().entry().key();
  }

  private Admitted.Done admit() {
    return (Admitted.Done) queue.admit(PACED, now);
  }

  @Test
  void join_clockWentBack_standsBehindAllTheSame() {
    activate(Map.of());
    EntryKey before = join("before");
    now -= HOUR;

    EntryKey after = join("after");

    assertThat(after.joined()).isGreaterThan(before.joined());
    assertThat(queue.overview(now).figures().longestWaitMicros()).isZero();
    assertThat(admit().entries()).extracting(entry -> entry.key()).containsExactly(before, after);
  }

  @Test
  void join_tooOftenBeforeTheClockWentBack_isNotHeldUpUntilItHasCaughtUp() {
    activate(Map.of());
    for (int i = 0; i < 3; i++) {
      queue.leave(join("ann"), now);
    }
    now -= HOUR;

    for (int i = 0; i < 3; i++) {
      queue.leave(join("ann"), now);
    }

    assertThat(queue.join("ann", now)).isEqualTo(new Joined.Refused(Joined.Reason.TOO_OFTEN, 60));
    now += 60 * SECOND;
    join("ann");
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
      queue.leave(join("user" + i), now);
      now += 10_000;
    }

    // A hundred a second, kept for a minute.
    assertThat(queue.remembered()).isLessThanOrEqualTo(6_001);
  }

  @Test
  void remembered_manyComplete_areForgottenAfterAnHour() {
    activate(Map.of("entryBatchSize", 100, "newPlacesPerMinute", 0));
    for (int i = 0; i < 20_000; i++) {
      EntryKey key = join("user" + i);
      now += SECOND;
      admit();
      queue.complete(key, CompletedBy.VISITOR, now);
    }

    assertThat(queue.remembered()).isBetween(3_600, 3_601);
  }

  @Test
  void remembered_completedWhereOneMayEnterOnce_isForgottenAfterThirtyDays() {
    activate(Map.of("once", true));
    for (int i = 0; i < 100; i++) {
      EntryKey key = join("user" + i);
      admit();
      queue.complete(key, CompletedBy.VISITOR, now);
    }
    now += 2 * HOUR;
    admit();
    assertThat(queue.remembered()).isEqualTo(100);

    now += 30 * 24 * HOUR;
    admit();

    assertThat(queue.remembered()).isZero();
  }
}
