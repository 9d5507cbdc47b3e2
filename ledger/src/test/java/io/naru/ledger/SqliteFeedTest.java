package io.naru.ledger;

import org.junit.jupiter.api.extension.RegisterExtension;

class SqliteFeedTest extends LedgerFeedContract {

  @RegisterExtension private static final LedgerFixture fixture = LedgerFixture.sqliteAndMemory();

  @Override
  LedgerFixture fixture() {
    return fixture;
  }
}
