package io.naru.server.log;

import io.naru.ledger.Ledger;
import io.naru.testkit.MariaDbServer;
import io.naru.testkit.Program;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("process")
class MariaDbAppenderTest extends LedgerAppenderContract {

  @RegisterExtension private static final Program mariaDb = MariaDbServer.program();

  @RegisterExtension
  private static final OpenLedger opened = new OpenLedger(MariaDbAppenderTest::mariaDb);

  private static Ledger.Config mariaDb() {
    MariaDbServer server = MariaDbServer.shared();
    return new Ledger.Config(server.fresh(), server.user(), server.password(), false);
  }

  @Override
  OpenLedger opened() {
    return opened;
  }
}
