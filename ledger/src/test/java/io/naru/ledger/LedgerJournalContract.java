package io.naru.ledger;

import io.naru.journal.JournalContract;
import io.naru.journal.LogStore;
import io.naru.line.Line;
import io.naru.queue.Draws;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import java.time.Duration;

/** Journals and logs in a ledger, whatever its database. */
abstract class LedgerJournalContract extends JournalContract {

  abstract LedgerFixture fixture();

  @Override
  protected LogStore logs() {
    return fixture().ledger().logs();
  }

  @Override
  protected Draws draws() {
    return fixture().ledger().draws();
  }

  @Override
  protected Queues queues() {
    return fixture().ledger().queues();
  }

  @Override
  protected Line line() {
    return fixture().ledger().line();
  }

  @Override
  protected void advance(QueueId of, Duration by) {
    fixture().advance(by);
  }
}
