package io.naru.ledger;

import org.junit.jupiter.api.extension.RegisterExtension;

class SqliteJournalTest extends LedgerJournalContract {

  @RegisterExtension private static final LedgerFixture fixture = LedgerFixture.sqliteAndMemory();

  @Override
  LedgerFixture fixture() {
    return fixture;
  }
}
