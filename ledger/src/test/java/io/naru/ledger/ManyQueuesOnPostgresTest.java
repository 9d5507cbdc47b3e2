package io.naru.ledger;

import org.junit.jupiter.api.Tag;

@Tag("process")
class ManyQueuesOnPostgresTest extends ManyIdleQueuesContract {

  @Override
  Ledger.Config database() {
    return LedgerFixture.postgres();
  }

  @Override
  String rowsRead() {
    return """
    SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_user_tables WHERE relname = 'waiting_queues'
    """;
  }
}
