package io.naru.server.log;

import io.naru.ledger.Ledger;
import io.naru.testkit.PostgresServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("process")
class PostgresAppenderTest extends LedgerAppenderContract {

  @RegisterExtension
  private static final OpenLedger opened = new OpenLedger(PostgresAppenderTest::postgres);

  private static Ledger.Config postgres() {
    PostgresServer server = PostgresServer.shared();
    return new Ledger.Config(server.fresh(), server.user(), server.password(), false);
  }

  @Override
  OpenLedger opened() {
    return opened;
  }
}
