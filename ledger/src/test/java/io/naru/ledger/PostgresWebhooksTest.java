package io.naru.ledger;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("process")
class PostgresWebhooksTest extends LedgerWebhooksContract {

  @RegisterExtension private static final LedgerFixture fixture = LedgerFixture.postgresAndRedis();

  @Override
  LedgerFixture fixture() {
    return fixture;
  }
}
