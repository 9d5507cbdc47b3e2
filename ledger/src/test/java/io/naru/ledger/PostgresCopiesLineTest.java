package io.naru.ledger;

import io.naru.line.Line;
import io.naru.line.LineContract;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("process")
class PostgresCopiesLineTest extends LineContract {

  @RegisterExtension private static final TwoLedgers servers = TwoLedgers.onPostgres();

  @Override
  protected Queues queues() {
    return servers.queues();
  }

  @Override
  protected Line line() {
    return servers.line();
  }

  @Override
  protected void advance(QueueId queue, Duration by) {
    servers.advance(by);
  }
}
