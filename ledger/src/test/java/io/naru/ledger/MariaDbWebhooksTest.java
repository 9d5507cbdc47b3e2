package io.naru.ledger;

import io.naru.testkit.MariaDbServer;
import io.naru.testkit.Program;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("process")
class MariaDbWebhooksTest extends LedgerWebhooksContract {

  @RegisterExtension private static final Program mariaDb = MariaDbServer.program();

  @RegisterExtension private static final LedgerFixture fixture = LedgerFixture.mariaDbAndRedis();

  @Override
  LedgerFixture fixture() {
    return fixture;
  }
}
