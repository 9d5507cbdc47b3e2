package io.naru.ledger;

import io.naru.history.History;
import io.naru.line.Line;
import io.naru.queue.Draws;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import io.naru.testkit.MariaDbServer;
import io.naru.testkit.Program;
import io.naru.transfer.TransferContract;
import io.naru.transfer.Transfers;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;

/** With {@code -Dcopies.all=true}: what is decided does not depend on where the line is. */
@Tag("process")
@EnabledIfSystemProperty(named = "copies.all", matches = "true")
class MariaDbCopiesQueuesTest extends TransferContract {

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
  protected History history() {
    return servers.one().ledger().history();
  }

  @Override
  protected Draws draws() {
    return servers.one().ledger().draws();
  }

  @Override
  protected Transfers transfers() {
    return servers.one().ledger().transfers();
  }

  @Override
  protected void advance(QueueId queue, Duration by) {
    servers.advance(by);
  }
}
