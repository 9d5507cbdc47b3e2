package io.naru.memory;

import io.naru.line.Line;
import io.naru.queue.QueueId;
import io.naru.queue.QueueScenario;
import io.naru.queue.Queues;
import io.naru.support.SettableClock;
import java.time.Duration;

/** Queues in memory, at a time that a test sets. */
abstract class MemoryScenario extends QueueScenario {

  final SettableClock clock = SettableClock.atOpening();
  final MemoryQueues memory = new MemoryQueues(clock);

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
}
