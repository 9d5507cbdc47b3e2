package io.naru.ledger;

import io.naru.testkit.MariaDbServer;
import io.naru.testkit.Program;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("process")
class MariaDbRetentionTest extends RetentionContract {

  @RegisterExtension private static final Program mariaDb = MariaDbServer.program();

  @Override
  Ledger.Config database() {
    return LedgerFixture.mariaDb();
  }
}
