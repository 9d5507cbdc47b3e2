package io.naru.memory;

import io.naru.history.History;
import io.naru.line.Line;
import io.naru.queue.Draws;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import io.naru.support.SettableClock;
import io.naru.transfer.TransferContract;
import io.naru.transfer.Transfers;
import java.time.Duration;

class MemoryQueuesTest extends TransferContract {

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
  protected History history() {
    return memory;
  }

  @Override
  protected Draws draws() {
    return memory;
  }

  @Override
  protected Transfers transfers() {
    return memory;
  }

  @Override
  protected void advance(QueueId queue, Duration by) {
    clock.advance(by);
  }
}
