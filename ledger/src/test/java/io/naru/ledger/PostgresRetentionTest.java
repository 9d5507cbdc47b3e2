package io.naru.ledger;

class PostgresRetentionTest extends RetentionContract {

  @Override
  Ledger.Config database() {
    return LedgerFixture.postgres();
  }
}
