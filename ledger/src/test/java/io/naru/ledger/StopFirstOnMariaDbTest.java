package io.naru.ledger;

import io.naru.testkit.MariaDbServer;
import io.naru.testkit.Program;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("process")
class StopFirstOnMariaDbTest extends StopFirstTest {

  @RegisterExtension static final Program MARIADB = MariaDbServer.program();

  @Override
  Ledger.Config database() {
    return LedgerFixture.mariaDb();
  }
}
