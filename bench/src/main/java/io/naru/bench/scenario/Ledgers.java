package io.naru.bench.scenario;

import io.naru.bench.report.Row;
import io.naru.testkit.PostgresServer;
import java.sql.SQLException;
import java.util.function.Consumer;

/** What it costs that no acknowledged place is lost, and how fast a lost copy is back. */
final class Ledgers implements Scenario {

  private static final String FACTS =
      """
      SELECT current_setting('server_version') || ', fsync ' || current_setting('fsync')
        || ', synchronous_commit ' || current_setting('synchronous_commit')
      """;

  @Override
  public String name() {
    return "ledger";
  }

  @Override
  public void run(Stage stage, Consumer<Row> rows) {
    try (var postgres = PostgresServer.start()) {
      stage.found("PostgreSQL", describe(postgres));
      LedgerCost.measure(stage, postgres, rows);
      LedgerCrowd.measure(stage, postgres, rows);
      LaneCost.measure(stage, postgres, rows);
    }
  }

  // As the server says it, not as we asked for it: without sync the figures would be worth nothing.
  private static String describe(PostgresServer postgres) {
    try (var connection = postgres.connect();
        var statement = connection.createStatement();
        var result = statement.executeQuery(FACTS)) {
      result.next();
      return result.getString(1);
    } catch (SQLException e) {
      throw new IllegalStateException("PostgreSQL does not say what it is", e);
    }
  }
}
