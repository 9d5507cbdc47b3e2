package io.naru.memory;

import io.naru.audit.AuditTrail;
import io.naru.journal.Feed;
import io.naru.queue.Queues;
import io.naru.support.SettableClock;
import io.naru.webhook.Webhooks;
import io.naru.webhook.WebhooksContract;
import java.time.Duration;

class MemoryWebhooksTest extends WebhooksContract {

  private final SettableClock clock = SettableClock.atOpening();
  private final MemoryQueues memory = new MemoryQueues(clock);
  private final Webhooks webhooks = new MemoryWebhooks(memory.audit(), memory.feed(), clock);

  @Override
  protected Webhooks webhooks() {
    return webhooks;
  }

  @Override
  protected Feed feed() {
    return memory.feed();
  }

  @Override
  protected Queues queues() {
    return memory;
  }

  @Override
  protected AuditTrail trail() {
    return memory.audit();
  }

  @Override
  protected void advance(Duration by) {
    clock.advance(by);
  }

  @Override
  protected void empty() {
    // Each test has its own.
  }
}
