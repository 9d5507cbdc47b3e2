package io.naru.ledger;

import io.naru.line.Line;
import io.naru.queue.ActsContract;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("process")
class PostgresRedisQueuesTest extends ActsContract {

  @RegisterExtension private static final LedgerFixture fixture = LedgerFixture.postgresAndRedis();

  @Override
  protected Queues queues() {
    return fixture.ledger().queues();
  }

  @Override
  protected Line line() {
    return fixture.ledger().line();
  }

  @Override
  protected void advance(QueueId queue, Duration by) {
    fixture.advance(by);
  }
}
