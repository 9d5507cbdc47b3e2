package io.naru.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.access.AccessKeys;
import io.naru.access.OperatorsContract;
import io.naru.audit.AuditRow;
import io.naru.audit.AuditTrail;
import io.naru.queue.Queues;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;

class MemoryOperatorsTest extends OperatorsContract {

  private MemoryQueues queues = new MemoryQueues(InstantSource.system());
  private AccessKeys keys = new MemoryAccess(queues.audit());

  @Override
  protected AccessKeys keys() {
    return keys;
  }

  @Override
  protected AuditTrail trail() {
    return queues.audit();
  }

  @Override
  protected Queues queues() {
    return queues;
  }

  @Override
  protected void empty() {
    queues = new MemoryQueues(InstantSource.system());
    keys = new MemoryAccess(queues.audit());
  }

  @Test
  void note_more_thanCanBeKept_dropsTheOldest() {
    for (int i = 0; i < MemoryTrail.MAX_KEPT + 5; i++) {
      trail().note(refusal());
    }

    assertThat(trail().list(null, Long.MAX_VALUE, 2 * MemoryTrail.MAX_KEPT))
        .hasSize(MemoryTrail.MAX_KEPT)
        .map(AuditRow::id)
        .endsWith(6L);
  }
}
