package io.naru.ledger;

import org.junit.jupiter.api.extension.RegisterExtension;

class SqliteWebhooksTest extends LedgerWebhooksContract {

  @RegisterExtension private static final LedgerFixture fixture = LedgerFixture.sqliteAndMemory();

  @Override
  LedgerFixture fixture() {
    return fixture;
  }
}
