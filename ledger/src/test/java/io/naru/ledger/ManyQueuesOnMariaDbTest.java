package io.naru.ledger;

import io.naru.testkit.MariaDbServer;
import io.naru.testkit.Program;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("process")
class ManyQueuesOnMariaDbTest extends ManyIdleQueuesContract {

  @RegisterExtension static final Program MARIADB = MariaDbServer.program();

  /** It counts by table only where that is switched on, and for connections made from then on. */
  @BeforeAll
  static void count() throws SQLException {
    try (var connection = MariaDbServer.shared().connect();
        var statement = connection.createStatement()) {
      statement.execute("SET GLOBAL userstat = 1");
    }
  }

  @Override
  Ledger.Config database() {
    return LedgerFixture.mariaDb();
  }

  @Override
  String rowsRead() {
    return """
    SELECT coalesce(sum(rows_read), 0) FROM information_schema.table_statistics
    WHERE table_schema = database() AND table_name = 'waiting_queues'
    """;
  }
}
