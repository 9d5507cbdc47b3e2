package io.naru.ledger;

import org.junit.jupiter.api.Tag;

@Tag("process")
class BrokenCommitOnPostgresTest extends BrokenCommitTest {

  @Override
  Ledger.Config database() {
    return LedgerFixture.postgres();
  }
}
