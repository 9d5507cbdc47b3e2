package io.naru.ledger;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;

/** PostgreSQL 14 or later. */
final class Postgres extends SharedDatabase {

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

  /** Who may connect to what; no more connections, memory or disk; its files. */
  private static final Set<String> OF_ALL = Set.of("28", "3D", "53", "58");

  private final Timelines timelines = new Timelines();

  @Override
  public String describe(Connection connection) throws SQLException {
    return "PostgreSQL " + show(connection, "server_version").replaceAll(" .*", "");
  }

  @Override
  String clock() {
    return NOW;
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
  public Haste hurry(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET LOCAL lock_timeout = 100");
    }
    // It is the transaction's own.
    return Haste.NONE;
  }

  @Override
  public boolean takesSeveral() {
    return true;
  }

  @Override
  public String lists(String... types) {
    return "unnest(" + Dialect.each("?::%s[]", types) + ")";
  }

  /**
   * No other index can answer the question: its expression is that of the one that is meant. The
   * sign changes no number, and keeps the database from looking for users along the line.
   */
  @Override
  public String entries(Index index, String queue) {
    String key =
        switch (index) {
          case LINE, INSIDE -> "e.queue_id";
          case USER -> "+e.queue_id";
          case CHANGE -> "e.queue_id + 0";
          case WAITING, OVER -> "e.queue_id - 0";
        };
    return "queue_entries e WHERE " + key + " = " + queue + " ";
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
    properties.setProperty("reWriteBatchedInserts", "true");
    // Long reads have a connection each: in binary at once, which takes a quarter less time.
    properties.setProperty("prepareThreshold", use == Use.COPY ? "-1" : "3");
    properties.setProperty("options", (use == Use.COPY ? COPY_LIMITS : LIMITS) + BY_INDEX);
    return properties;
  }

  @Override
  public Connection connect(String url, Properties properties) throws SQLException {
    return timelines.connect(url, properties);
  }

  @Override
  public int era() {
    return timelines.era();
  }

  @Override
  public String unsafe(Connection connection) throws SQLException {
    int version = Integer.parseInt(show(connection, "server_version_num")) / 10_000;
    if (version < OLDEST) {
      throw new LedgerRefused(
          "PostgreSQL " + version + " is too old: " + OLDEST + " or later is needed");
    }
    if (Dialect.value(connection, "SELECT pg_is_in_recovery()").startsWith("t")
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
    connection.setAutoCommit(false);
    // The driver's way is the session's, and costs the way to the database a second time, back.
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    }
  }

  private static String show(Connection connection, String setting) throws SQLException {
    return Dialect.value(connection, "SHOW " + setting);
  }

  @Override
  public boolean isConnectionLost(SQLException e) {
    // The database shuts down, starts up, or ended a session that kept others waiting.
    return super.isConnectionLost(e)
        || Dialect.state(e).startsWith("57P")
        || Dialect.state(e).equals("25P03");
  }

  @Override
  public boolean isVictim(SQLException e) {
    return super.isVictim(e) || Dialect.state(e).equals("40P01");
  }

  /** Of a statement, or of the wait for a lock. */
  @Override
  public boolean isTimeout(SQLException e) {
    return super.isTimeout(e)
        || Dialect.state(e).equals("57014")
        || Dialect.state(e).equals("55P03");
  }

  @Override
  public boolean isOfAll(SQLException e) {
    String state = Dialect.state(e);
    return isReadOnly(e) || OF_ALL.contains(state.substring(0, Math.min(2, state.length())));
  }
}
