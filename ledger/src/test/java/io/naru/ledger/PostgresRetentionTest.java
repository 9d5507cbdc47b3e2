package io.naru.ledger;

import org.junit.jupiter.api.Tag;

@Tag("process")
class PostgresRetentionTest extends RetentionContract {

  @Override
  Ledger.Config database() {
    return LedgerFixture.postgres();
  }
}
