package io.naru.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.line.Line;
import io.naru.queue.Admission;
import io.naru.queue.Admitted;
import io.naru.queue.Edit;
import io.naru.queue.QueueId;
import io.naru.queue.QueueScenario;
import io.naru.queue.Queues;
import io.naru.support.SettableClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Nobody is admitted before a set instant. */
class NotBeforeTest extends QueueScenario {

  private static final Duration HOUR = Duration.ofHours(1);

  private final SettableClock clock = SettableClock.atOpening();
  private final MemoryQueues memory = new MemoryQueues(clock);

  @Override
  protected Queues queues() {
    return memory;
  }

  @Override
  protected Line line() {
    return memory;
  }

  @Override
  protected void advance(QueueId queue, Duration by) {
    clock.advance(by);
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
}
