package io.naru.ledger;

import org.junit.jupiter.api.extension.RegisterExtension;

class PostgresKeysTest extends LedgerKeysContract {

  @RegisterExtension private static final LedgerFixture fixture = LedgerFixture.postgresAndRedis();

  @Override
  LedgerFixture fixture() {
    return fixture;
  }
}
