package io.naru.memory;

import io.naru.journal.JournalContract;
import io.naru.journal.LogStore;
import io.naru.line.Line;
import io.naru.queue.Draws;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import io.naru.support.SettableClock;
import java.time.Duration;
import java.util.Set;

class MemoryJournalTest extends JournalContract {

  private final SettableClock clock = SettableClock.atOpening();
  private final MemoryQueues memory = new MemoryQueues(clock);

  @Override
  protected LogStore logs() {
    return memory;
  }

  @Override
  protected Draws draws() {
    return memory;
  }

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

  @Override
  protected int histories() {
    return 20;
  }

  @Override
  protected Set<String> kinds() {
    return Set.of(
        "rules", "join", "enter", "end", "move", "handoff", "return", "byhand", "stock", "rate",
        "pass", "back", "cut", "settle");
  }
}
