package io.naru.ledger;

class ManyQueuesOnSqliteTest extends ManyQueuesContract {

  @Override
  Ledger.Config database() {
    return LedgerFixture.sqlite();
  }
}
