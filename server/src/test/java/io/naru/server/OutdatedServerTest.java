package io.naru.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.ledger.Ledger;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A newer Naru has changed the tables beneath a server that runs. */
class OutdatedServerTest {

  private static final String QUEUE = "SALE/1";

  @Test
  void enter_is503_proxiesGoElsewhere_andOperatorsAreToldWhy(@TempDir Path data) throws Exception {
    var ledger = new Ledger.Config("jdbc:sqlite:" + data.resolve("ledger.db"), null, null, false);
    try (var server = TestServer.start(TestServer.config(data, null, ledger));
        var management = new Client(server.managementPort())) {
      server.activate(QUEUE, "").is(201);
      server.enter(QUEUE, "ann").is(201);
      await().until(() -> server.client().get("/health/ready").status() == 200);

      try (Connection connection = DriverManager.getConnection(ledger.url());
          Statement statement = connection.createStatement()) {
        statement.executeUpdate(
            """
            INSERT INTO naru_schema_history
              (installed_rank, version, description, type, script, checksum, installed_by,
               execution_time, success)
            SELECT MAX(installed_rank) + 1, '1000', 'later', 'SQL', 'later.sql', 0, '', 0, TRUE
            FROM naru_schema_history
            """);
      }

      server.enter(QUEUE, "ben").isProblem(503, "unavailable");
      await().until(() -> server.client().get("/health/ready").status() == 503);
      assertThat(management.get("/health").text("degraded"))
          .contains("a newer Naru made the tables of version 1000");
    }
  }
}
