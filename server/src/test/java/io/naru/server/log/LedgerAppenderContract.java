package io.naru.server.log;

import io.naru.journal.LogStore;
import io.naru.queue.Queues;

/** The logs of a ledger, whatever its database. */
abstract class LedgerAppenderContract extends AppenderContract {

  abstract OpenLedger opened();

  @Override
  Queues queues() {
    return opened().ledger().queues();
  }

  @Override
  LogStore logs() {
    return opened().ledger().logs();
  }
}
