package io.naru.server;

import io.naru.ledger.Ledger;
import io.naru.testkit.PostgresServer;
import java.util.List;
import org.junit.jupiter.api.Tag;

@Tag("process")
class OneQueueInTroubleOnPostgresTest extends OneQueueInTroubleContract {

  @Override
  Ledger.Config database() {
    PostgresServer server = PostgresServer.shared();
    return new Ledger.Config(server.fresh(), server.user(), server.password(), false);
  }

  @Override
  List<String> poison() {
    return List.of(
        """
        CREATE FUNCTION poison() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN RAISE EXCEPTION 'this row is poisoned'; END $$
        """,
        """
        CREATE TRIGGER poison BEFORE UPDATE ON waiting_queues FOR EACH ROW
        WHEN (NEW.event_id = 'ill') EXECUTE FUNCTION poison()
        """);
  }

  @Override
  String antidote() {
    return "DROP TRIGGER poison ON waiting_queues";
  }
}
