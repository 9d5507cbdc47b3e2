package io.naru.ledger;

import io.naru.line.Line;
import io.naru.line.LineContract;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import io.naru.testkit.MariaDbServer;
import io.naru.testkit.Program;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("process")
class MariaDbCopiesLineTest extends LineContract {

  @RegisterExtension private static final Program mariaDb = MariaDbServer.program();

  @RegisterExtension private static final TwoLedgers servers = TwoLedgers.onMariaDb();

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
