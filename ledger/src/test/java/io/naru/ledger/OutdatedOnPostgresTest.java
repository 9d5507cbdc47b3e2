package io.naru.ledger;

import org.junit.jupiter.api.Tag;

@Tag("process")
class OutdatedOnPostgresTest extends OutdatedTest {

  @Override
  Ledger.Config database() {
    return LedgerFixture.postgres();
  }
}
