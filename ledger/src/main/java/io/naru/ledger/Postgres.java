package io.naru.ledger;

import java.io.Closeable;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;

/** PostgreSQL 14 or later. */
final class Postgres implements Dialect {

  private static final int OLDEST = 14;

  /**
   * Limits that the database keeps, so that they hold for a server that is frozen or gone, too: a
   * transaction that nobody goes on with ends, and its locks with it. A visitor hears within 3
   * seconds.
   */
  private static final String LIMITS =
      "-c statement_timeout=2000 -c lock_timeout=2000 -c idle_in_transaction_session_timeout=1000";

  private static final String COPY_LIMITS =
      "-c statement_timeout=20000 -c idle_in_transaction_session_timeout=20000";

  /** Nothing here needs a whole table, in which all queues are, however small it looks. */
  private static final String BY_INDEX = " -c enable_seqscan=off";

  private static final String NOW =
      "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint - 1767225600000000";

  /** By how much its clock is ahead of our monotonic one, when it was last asked. */
  private volatile long ahead;

  @Override
  public String describe(Connection connection) throws SQLException {
    return "PostgreSQL " + show(connection, "server_version").replaceAll(" .*", "");
  }

  @Override
  public Closeable claim(String url) {
    // Any number of servers share it.
    return () -> {};
  }

  @Override
  public String migrations() {
    return "postgresql";
  }

  @Override
  public String locking(String select) {
    // Around it: inside, the clock would be read before the wait for the lock.
    return "SELECT locked.*, " + NOW + " AS now FROM (" + select + " FOR UPDATE) locked";
  }

  @Override
  public void hurry(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET LOCAL lock_timeout = 100");
    }
  }

  @Override
  public long now(Connection connection) throws SQLException {
    long now = Long.parseLong(value(connection, "SELECT " + NOW));
    return noticed(now);
  }

  @Override
  public long noticed(long now) {
    ahead = now - System.nanoTime() / 1_000;
    return now;
  }

  @Override
  public long nowHere() {
    return System.nanoTime() / 1_000 + ahead;
  }

  @Override
  public Properties properties(Use use) {
    var properties = new Properties();
    properties.setProperty("ApplicationName", "naru " + use.name().toLowerCase(Locale.ROOT));
    properties.setProperty("connectTimeout", "2");
    properties.setProperty("loginTimeout", "5");
    // The driver waits forever by default; the database's own limits come first.
    properties.setProperty("socketTimeout", use == Use.COPY ? "20" : "3");
    properties.setProperty("tcpKeepAlive", "true");
    // Of several hosts, which of them is the primary by now.
    properties.setProperty("hostRecheckSeconds", "1");
    properties.setProperty("reWriteBatchedInserts", "true");
    properties.setProperty("prepareThreshold", "3");
    properties.setProperty("options", (use == Use.COPY ? COPY_LIMITS : LIMITS) + BY_INDEX);
    return properties;
  }

  @Override
  public String unsafe(Connection connection) throws SQLException {
    int version = Integer.parseInt(show(connection, "server_version_num")) / 10_000;
    if (version < OLDEST) {
      throw new LedgerRefused(
          "PostgreSQL " + version + " is too old: " + OLDEST + " or later is needed");
    }
    if (value(connection, "SELECT pg_is_in_recovery()").startsWith("t")
        || show(connection, "transaction_read_only").equals("on")) {
      throw new LedgerRefused("this PostgreSQL is read-only (a standby?): name the primary");
    }
    List<String> reasons = new ArrayList<>();
    for (String setting : List.of("fsync", "synchronous_commit", "full_page_writes")) {
      if (show(connection, setting).equals("off")) {
        reasons.add(setting + " is off");
      }
    }
    return String.join(", ", reasons);
  }

  @Override
  public void beginSnapshot(Connection connection) throws SQLException {
    connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    connection.setReadOnly(true);
    connection.setAutoCommit(false);
  }

  private static String show(Connection connection, String setting) throws SQLException {
    return value(connection, "SHOW " + setting);
  }

  private static String value(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      result.next();
      return result.getString(1);
    }
  }
}
