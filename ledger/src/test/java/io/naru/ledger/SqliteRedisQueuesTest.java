package io.naru.ledger;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("process")
class SqliteRedisQueuesTest extends LedgerQueuesContract {

  @RegisterExtension private static final LedgerFixture fixture = LedgerFixture.sqliteAndRedis();

  @Override
  LedgerFixture fixture() {
    return fixture;
  }
}
