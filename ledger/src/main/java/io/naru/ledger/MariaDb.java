package io.naru.ledger;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;

/**
 * MariaDB 10.6 or later, and MySQL 8 as far as it is the same: what only one of the two has stands
 * in comments that the other one does not read.
 *
 * <p>The writer reads what is committed: it locks a queue's row and then sees what whoever had it
 * before left there, and it locks no gaps, in which those of other queues would wait.
 */
final class MariaDb extends SharedDatabase {

  /** As major and minor number together. */
  private static final Map<String, Integer> OLDEST = Map.of("MariaDB", 10_06, "MySQL", 8_00);

  /** Not NOW(), which is the time when the statement came, before it waited for a lock. */
  private static final String NOW = "TIMESTAMPDIFF(MICROSECOND, '2026-01-01 00:00:00', SYSDATE(6))";

  /** The same for every server, whatever is set up there. */
  private static final String SESSION =
      "time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'";

  /**
   * Limits that the database keeps, so that they hold for a server that is frozen or gone, too: a
   * transaction that nobody goes on with ends, and its locks with it. MySQL knows no such limit but
   * that of a connection that is idle, be it in a transaction or not.
   */
  private static final String LIMITS =
      ", innodb_lock_wait_timeout = 2, lock_wait_timeout = 2"
          + " /*M!, max_statement_time = 2, idle_transaction_timeout = 1 */"
          + " /*!80000 , max_execution_time = 2000 */";

  private static final String COPY_LIMITS =
      " /*M!, max_statement_time = 20, idle_transaction_timeout = 20 */"
          + " /*!80000 , max_execution_time = 20000 */";

  private static final String WRITER_LIMITS = LIMITS + " /*!80000 , wait_timeout = 10 */";

  /** What MySQL has for it are whole seconds. */
  private static final String HURRIED =
      "SET SESSION /*M! max_statement_time = 0.1 */ /*!80000 innodb_lock_wait_timeout = 1 */";

  private static final String UNHURRIED =
      "SET SESSION /*M! max_statement_time = 2 */ /*!80000 innodb_lock_wait_timeout = 2 */";

  /** A lock, a statement, a metadata lock; and of a MySQL, a statement. */
  private static final Set<Integer> TIMEOUTS = Set.of(1205, 1969, 3024);

  /** It shuts down, ended a session that kept others waiting, or did not hear from it. */
  private static final Set<Integer> LOST = Set.of(1053, 1927, 4031);

  /** Who may connect to what; no more connections, memory or disk; its files; read-only. */
  private static final Set<Integer> OF_ALL =
      Set.of(
          3, 126, 127, 1015, 1021, 1026, 1030, 1034, 1037, 1038, 1040, 1041, 1044, 1045, 1049, 1114,
          1135, 1203, 1226, 1290, 1792, 1836);

  @Override
  public String describe(Connection connection) throws SQLException {
    DatabaseMetaData database = connection.getMetaData();
    return database.getDatabaseProductName()
        + " "
        + database.getDatabaseProductVersion().replaceAll("-.*", "");
  }

  /** The driver talks to both, but knows them under one name. */
  @Override
  public String address(String url) {
    return url.replaceFirst("^jdbc:mysql:", "jdbc:mariadb:");
  }

  @Override
  public String migrations() {
    return "mariadb";
  }

  @Override
  String clock() {
    return NOW;
  }

  @Override
  public Properties properties(Use use) {
    var properties = new Properties();
    properties.setProperty("connectTimeout", "2000");
    // The driver waits forever by default; the database's own limits come first.
    properties.setProperty("socketTimeout", use == Use.COPY ? "20000" : "3000");
    properties.setProperty("transactionIsolation", "READ-COMMITTED");
    properties.setProperty("initSql", "SET SESSION " + SESSION + limits(use));
    properties.setProperty(
        "connectionAttributes", "program_name:naru " + use.name().toLowerCase(Locale.ROOT));
    properties.setProperty("useServerPrepStmts", "true");
    // Many rows in one message.
    properties.setProperty("useBulkStmts", "true");
    return properties;
  }

  private static String limits(Use use) {
    return switch (use) {
      case WRITE -> WRITER_LIMITS;
      case READ -> LIMITS;
      case COPY -> COPY_LIMITS;
    };
  }

  @Override
  public String unsafe(Connection connection) throws SQLException {
    refuseIfUseless(connection);
    List<String> reasons = new ArrayList<>();
    String flush = variable(connection, "innodb_flush_log_at_trx_commit");
    if (!flush.equals("1")) {
      reasons.add("innodb_flush_log_at_trx_commit is " + flush);
    }
    String sync = variable(connection, "sync_binlog");
    // A replica is told of what is in the binary log; after a crash this one would know more.
    if (isOn(connection, "log_bin") && !sync.equals("1")) {
      reasons.add("sync_binlog is " + sync);
    }
    if (List.of("0", "OFF").contains(variable(connection, "innodb_doublewrite"))) {
      reasons.add("innodb_doublewrite is off");
    }
    return String.join(", ", reasons);
  }

  private void refuseIfUseless(Connection connection) throws SQLException {
    DatabaseMetaData database = connection.getMetaData();
    int version = database.getDatabaseMajorVersion() * 100 + database.getDatabaseMinorVersion();
    if (version < OLDEST.getOrDefault(database.getDatabaseProductName(), 0)) {
      throw new LedgerRefused(
          describe(connection) + " is too old: MariaDB 10.6, MySQL 8.0 or later is needed");
    }
    if (isOn(connection, "read_only") || isOn(connection, "innodb_read_only")) {
      throw new LedgerRefused("this database is read-only (a replica?): name the primary");
    }
    if (isOn(connection, "log_bin") && variable(connection, "binlog_format").equals("STATEMENT")) {
      throw new LedgerRefused("binlog_format is STATEMENT: ROW or MIXED is needed");
    }
    // Started with sysdate-is-now, it has no clock to read once a lock is had.
    if (!Dialect.value(connection, "SELECT sleep(0.002) + (sysdate(6) > now(6))").startsWith("1")) {
      throw new LedgerRefused("SYSDATE() stands still here: start it without sysdate-is-now");
    }
  }

  private static boolean isOn(Connection connection, String variable) throws SQLException {
    return List.of("1", "ON").contains(variable(connection, variable));
  }

  private static String variable(Connection connection, String name) throws SQLException {
    return Dialect.value(connection, "SELECT upper(@@global." + name + ")");
  }

  @Override
  public void beginSnapshot(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    execute(connection, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
  }

  @Override
  public String locking(String select) {
    // The row is read, and locked, before its columns are.
    return select.replaceFirst("SELECT ", "SELECT " + NOW + " AS now, ") + " FOR UPDATE";
  }

  @Override
  public Haste hurry(Connection connection) throws SQLException {
    execute(connection, HURRIED);
    return () -> execute(connection, UNHURRIED);
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Override
  public String entries(Index index, String queue) {
    String name =
        switch (index) {
          case LINE -> "PRIMARY";
          case USER -> "queue_entries_user";
          case CHANGE -> "queue_entries_change";
          case WAITING -> "queue_entries_waiting";
          case INSIDE -> "queue_entries_inside";
          case OVER -> "queue_entries_over";
        };
    return "queue_entries e FORCE INDEX (" + name + ") WHERE e.queue_id = " + queue + " ";
  }

  @Override
  public String queues(Among among) {
    return "waiting_queues q FORCE INDEX (waiting_queues_"
        + switch (among) {
          case ALL -> "name) WHERE q.version > 0 ";
          case BUSY -> "busy) WHERE q.is_busy = TRUE ";
          case CHANGED -> "changed) WHERE q.changed_minute = ? ";
          case TURNING -> "told) WHERE q.told_until <= ? ";
        };
  }

  /** It looks up no pairs in an index. */
  @Override
  public String isBehind() {
    return "(event_type > ? OR event_type = ? AND event_id > ?)";
  }

  @Override
  public List<Object> behind(String type, String id) {
    return List.of(type, type, id);
  }

  @Override
  public String ifAbsent(String insert) {
    return insert.replaceFirst("INSERT", "INSERT IGNORE");
  }

  @Override
  public String orReplace(String insert, String key, String... columns) {
    return insert + " ON DUPLICATE KEY UPDATE " + Dialect.each("%1$s = VALUES(%1$s)", columns);
  }

  /**
   * Whatever its driver does not know by its state, such as what a trigger signals, it throws as if
   * the connection were to blame. But what the database itself says has a number.
   */
  @Override
  public boolean isConnectionLost(SQLException e) {
    boolean isOnlyRefused =
        e instanceof SQLTransientConnectionException
            && e.getErrorCode() > 0
            && !Dialect.state(e).startsWith("08");
    return LOST.contains(e.getErrorCode())
        || isReadOnly(e)
        || (super.isConnectionLost(e) && !isOnlyRefused);
  }

  /** Started so, or inside a transaction that is. */
  @Override
  public boolean isReadOnly(SQLException e) {
    return super.isReadOnly(e) || e.getErrorCode() == 1290 || e.getErrorCode() == 1836;
  }

  /** A command, or a column, of a table. */
  @Override
  public boolean isForbidden(SQLException e) {
    return e.getErrorCode() == 1142 || e.getErrorCode() == 1143;
  }

  @Override
  public boolean isTimeout(SQLException e) {
    return super.isTimeout(e) || TIMEOUTS.contains(e.getErrorCode());
  }

  @Override
  public boolean isOfAll(SQLException e) {
    return OF_ALL.contains(e.getErrorCode());
  }
}
