package io.naru.memory;

import io.naru.journal.Feed;
import io.naru.journal.FeedContract;
import io.naru.line.Line;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import io.naru.support.SettableClock;
import java.time.Duration;

class MemoryFeedTest extends FeedContract {

  private final SettableClock clock = SettableClock.atOpening();
  private final MemoryQueues memory = new MemoryQueues(clock);

  @Override
  protected Feed feed() {
    return memory.feed();
  }

  @Override
  protected boolean isLogBehind() {
    return !memory.behind(1).isEmpty();
  }

  @Override
  protected void keepOnly(long changes) {
    memory.bound(new Feed.Bounds(changes, Feed.Bounds.DEFAULT.age()));
  }

  @Override
  protected void tidy() {
    // It is done with every change.
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
}
