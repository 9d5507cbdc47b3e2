package io.naru.ledger;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.stream.Stream;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;

/**
 * The tables of a ledger: made where they are missing, refused where they are of a later version.
 */
final class Schema {

  /** The highest migration there is here. */
  static final int VERSION = 24;

  static final String HISTORY = "naru_schema_history";

  private Schema() {}

  /**
   * @param pool tells which version is there; only if it is an older one, Flyway is needed, which
   *     takes its time
   */
  static void prepare(Pool pool, Ledger.Config config, Dialect dialect) throws SQLException {
    int present = version(pool);
    if (present > VERSION) {
      throw new LedgerRefused(
          "its tables are of version "
              + present
              + ", this Naru knows up to "
              + VERSION
              + ": start the newer Naru that made them");
    }
    if (present < VERSION) {
      migrate(config, dialect, present);
    }
  }

  private static int version(Pool pool) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      try {
        return version(connection);
      } catch (SQLException e) {
        // No such table; if it is anything else, migrating says so.
        return 0;
      }
    }
  }

  /** Of which version the tables are. */
  static int version(Connection connection) throws SQLException {
    String sql = "SELECT version FROM " + HISTORY + " WHERE success AND version IS NOT NULL";
    try (PreparedStatement select = connection.prepareStatement(sql);
        ResultSet result = select.executeQuery()) {
      int highest = 0;
      while (result.next()) {
        highest = Math.max(highest, Integer.parseInt(result.getString(1)));
      }
      return highest;
    }
  }

  private static void migrate(Ledger.Config config, Dialect dialect, int present) {
    try {
      // On connections of its own: it opens several, and those of a writer do not wait well.
      Flyway flyway =
          Flyway.configure(Schema.class.getClassLoader())
              .dataSource(new Pool.Maker(dialect, config.url(), config.credentials()))
              .locations("classpath:io/naru/ledger/" + dialect.migrations())
              .table(HISTORY)
              .load();
      if (Stream.of(flyway.info().all()).anyMatch(made -> made.getState().isFailed())) {
        // Remembered only where nothing was undone; there, each statement can be repeated.
        flyway.repair();
      }
      flyway.migrate();
    } catch (FlywayException e) {
      if (isForbidden(e, dialect)) {
        throw new LedgerRefused(
            "its tables are "
                + (present == 0 ? "not there" : "of version " + present)
                + ", this Naru needs version "
                + VERSION
                + ", and "
                + (config.user() == null ? "this user" : "the user '" + config.user() + "'")
                + " may not make them: start once with --ledger-user as their owner, then again as"
                + " this one",
            e);
      }
      String reason = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
      throw new LedgerRefused("its tables cannot be made: " + reason, e);
    }
  }

  private static boolean isForbidden(Throwable failure, Dialect dialect) {
    for (Throwable e = failure; e != null; e = e.getCause()) {
      if (e instanceof SQLException sql && dialect.isForbidden(sql)) {
        return true;
      }
    }
    return false;
  }
}
