package io.naru.ledger;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;

/**
 * The tables of a ledger: made where they are missing, refused where they are of a later version.
 */
final class Schema {

  /** The highest migration there is here. */
  static final int VERSION = 26;

  static final String HISTORY = "naru_schema_history";

  /**
   * Servers that know no later tables than those before do not notice that these are changed, and
   * nothing refuses their statements: they would go on by their own rules.
   */
  static final int STOP_FIRST = 21;

  /** Who has not written for so long is taken to be gone. */
  private static final Duration SILENCE = Duration.ofSeconds(5);

  private static final Duration LOOK = Duration.ofMillis(250);

  /** Below all versions: there is not even a history. */
  private static final int NONE = -1;

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
    if (present > 0 && present < STOP_FIRST && dialect.isShared()) {
      awaitSilence(pool, dialect, present);
    }
    if (present < VERSION) {
      migrate(config, dialect, present);
    }
  }

  /**
   * Lets whoever was stopped a moment ago be gone.
   *
   * @throws LedgerRefused if somebody of before goes on writing
   */
  private static void awaitSilence(Pool pool, Dialect dialect, int present) throws SQLException {
    long start = System.nanoTime();
    Set<WriterMarks.Mark> before = new HashSet<>(writing(pool, dialect));
    Set<WriterMarks.Mark> now = before;
    while (!now.isEmpty() && System.nanoTime() - start < SILENCE.toNanos()) {
      pause();
      now = new HashSet<>(writing(pool, dialect));
      // Another new one may have changed the tables meanwhile, and writes by now.
      if (!before.containsAll(now) && version(pool) == present) {
        throw new LedgerRefused(
            "its tables are of version "
                + present
                + ", and a server that knows no later ones is deciding by them. It would not notice"
                + " that they change: stop all servers of before, then start this one");
      }
    }
  }

  private static List<WriterMarks.Mark> writing(Pool pool, Dialect dialect) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      long since = dialect.now(connection) - SILENCE.toNanos() / 1_000;
      return new Rows(connection, dialect).marks().since(since);
    }
  }

  private static void pause() {
    try {
      Thread.sleep(LOOK);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LedgerRefused("interrupted while servers of before were waited for", e);
    }
  }

  private static int version(Pool pool) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      try {
        return version(connection);
      } catch (SQLException e) {
        // No such table; if it is anything else, migrating says so.
        return NONE;
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
              .resourceProvider(new Migrations(dialect.migrations()))
              .javaMigrationClassProvider(List::of)
              .table(HISTORY)
              // Ours have none, and looking for them costs a start as much as running the scripts.
              .placeholderReplacement(false)
              // All at once where there is nothing yet: each by itself would be synced to the disk.
              .group(present == NONE)
              .load();
      if (present != NONE
          && Stream.of(flyway.info().all()).anyMatch(made -> made.getState().isFailed())) {
        // Remembered only where nothing was undone; there, each statement can be repeated.
        flyway.repair();
      }
      flyway.migrate();
    } catch (FlywayException e) {
      if (isForbidden(e, dialect)) {
        throw new LedgerRefused(
            "its tables are "
                + (present <= 0 ? "not there" : "of version " + present)
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
