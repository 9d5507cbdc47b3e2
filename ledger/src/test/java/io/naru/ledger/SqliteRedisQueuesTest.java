package io.naru.ledger;

import io.naru.history.History;
import io.naru.history.HistoryContract;
import io.naru.line.Line;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("process")
class SqliteRedisQueuesTest extends HistoryContract {

  @RegisterExtension private static final LedgerFixture fixture = LedgerFixture.sqliteAndRedis();

  @Override
  protected Queues queues() {
    return fixture.ledger().queues();
  }

  @Override
  protected Line line() {
    return fixture.ledger().line();
  }

  @Override
  protected History history() {
    return fixture.ledger().history();
  }

  @Override
  protected void advance(QueueId queue, Duration by) {
    fixture.advance(by);
  }
}
