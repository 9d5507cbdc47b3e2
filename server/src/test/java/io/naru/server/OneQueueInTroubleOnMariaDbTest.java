package io.naru.server;

import io.naru.ledger.Ledger;
import io.naru.testkit.MariaDbServer;
import io.naru.testkit.Program;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("process")
class OneQueueInTroubleOnMariaDbTest extends OneQueueInTroubleContract {

  @RegisterExtension static final Program MARIADB = MariaDbServer.program();

  @Override
  Ledger.Config database() {
    MariaDbServer server = MariaDbServer.shared();
    return new Ledger.Config(server.fresh(), server.user(), server.password(), false);
  }

  @Override
  List<String> poison() {
    return List.of(
        """
        CREATE TRIGGER poison BEFORE UPDATE ON waiting_queues FOR EACH ROW
        IF NEW.event_id = 'ill' THEN
          SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'this row is poisoned';
        END IF
        """);
  }

  @Override
  String antidote() {
    return "DROP TRIGGER poison";
  }
}
