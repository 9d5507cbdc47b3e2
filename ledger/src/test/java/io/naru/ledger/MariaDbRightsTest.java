package io.naru.ledger;

import io.naru.testkit.MariaDbServer;
import io.naru.testkit.Program;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The same as {@link RightsTest}, on a MariaDB. */
@Tag("process")
class MariaDbRightsTest {

  @RegisterExtension static final Program MARIADB = MariaDbServer.program();

  @Test
  void security22_userWithoutTables() throws Exception {
    try (var server = MariaDbServer.start()) {
      RightsTest.run(
          new Ledger.Config(server.url(), server.user(), server.password(), true), "mariadb");
    }
  }
}
