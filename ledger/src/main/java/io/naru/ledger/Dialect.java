package io.naru.ledger;

import java.io.Closeable;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.InstantSource;
import java.util.List;
import java.util.Properties;

/**
 * What is different from one database to the next, all of it: nothing else knows them by name. What
 * most of them have in common is said here.
 */
interface Dialect {

  static Dialect of(String url, InstantSource clock) {
    if (url.startsWith("jdbc:sqlite:")) {
      return new Sqlite(clock);
    }
    if (url.startsWith("jdbc:postgresql:")) {
      return new Postgres();
    }
    if (url.startsWith("jdbc:mariadb:") || url.startsWith("jdbc:mysql:")) {
      return new MariaDb();
    }
    throw new LedgerRefused(
        "'"
            + url.replaceAll("[?@].*", "…")
            + "' is not a ledger Naru knows: jdbc:sqlite:FILE, jdbc:postgresql://HOST/DATABASE,"
            + " jdbc:mariadb://HOST/DATABASE or none");
  }

  // The database as a whole.

  /** In words, for people: with its version. */
  String describe(Connection connection) throws SQLException;

  /** The address as its driver takes it. */
  default String address(String url) {
    return url;
  }

  /**
   * Takes possession of what only one server may use; closing gives it back.
   *
   * @throws LedgerRefused if another server has it
   */
  Closeable claim(String url);

  /** Whether several servers can use it at once. */
  boolean isShared();

  /** The folder of its migrations. */
  String migrations();

  /** Time-outs, durability and whatever else its connections need. */
  Properties properties(Use use);

  /** Opens a connection; of several databases, to the one that has the ledger. */
  default Connection connect(String url, Properties properties) throws SQLException {
    return DriverManager.getConnection(url, properties);
  }

  /** Rises when the ledger is elsewhere by now: connections from before are of no more use. */
  default int era() {
    return 0;
  }

  /** What connections are for. */
  enum Use {
    /** The writer's transactions, for which visitors wait. */
    WRITE,
    /** Short reads, for which visitors wait. */
    READ,
    /** Reading whole lines, for which nobody waits. */
    COPY
  }

  /**
   * Why what is committed there could be lost; empty if it is safe.
   *
   * @throws LedgerRefused if it cannot be used at all
   */
  String unsafe(Connection connection) throws SQLException;

  // Its clock.

  /** The time, in microseconds since 2026-01-01, on the clock that decides. */
  long now(Connection connection) throws SQLException;

  /** The time came with another answer; returns it as {@link #now} would. */
  long noticed(long now);

  /** The same time as far as it is known here, without asking. */
  long nowHere();

  // Its transactions.

  /** Begins a transaction that sees one state of the database, whatever others do meanwhile. */
  void beginSnapshot(Connection connection) throws SQLException;

  /**
   * Begins a transaction that may read first and write then. Where there is one lock for all
   * writers, that must be had at once: it is not given to who has read what is no more.
   */
  default void beginChange(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
  }

  /**
   * Makes a select of one row keep others from changing it. Where the database has a clock of its
   * own, its answer has another column, {@code now}: the time when it had the lock.
   */
  String locking(String select);

  /** Makes this transaction wait only briefly for a lock, until that is closed. */
  Haste hurry(Connection connection) throws SQLException;

  /** A while in which nobody is waited for. */
  interface Haste extends AutoCloseable {

    Haste NONE = () -> {};

    @Override
    void close() throws SQLException;
  }

  /**
   * Whether several statements that change something go in one message, and their commit with them;
   * a row of values may be lists then ({@link #lists}).
   */
  default boolean takesSeveral() {
    return false;
  }

  // Its words.

  /**
   * A sale goes from nobody to millions within a minute, long before a database has looked at its
   * tables and knows which index is good for what. So each question says which one is.
   */
  enum Index {
    /** Everybody who ever was in a queue, as they came. */
    LINE,
    USER,
    CHANGE,
    /** Those who wait, as they stand. */
    WAITING,
    /** Those who are inside, by the end of their time. */
    INSIDE,
    /** Turns that are over, by the end of their pass. */
    OVER
  }

  /**
   * What stands behind {@code FROM} where the entries {@code e} of one queue are looked for by this
   * index, up to the first condition: its queue.
   *
   * @param queue its number, or a question mark
   */
  String entries(Index index, String queue);

  /** Among which queues some are looked for; there is an index for each. */
  enum Among {
    /** By name. */
    ALL,
    /** Those that anybody is in, by name. */
    BUSY,
    /** Those that changed last in one minute, by name. */
    CHANGED,
    /** Those for which a time has come, the longest ago first. */
    TURNING
  }

  /** The same where queues {@code q} are looked for, up to the first condition. */
  default String queues(Among among) {
    return "waiting_queues q WHERE "
        + switch (among) {
          case ALL -> "q.version > 0 ";
          case BUSY -> "q.is_busy ";
          case CHANGED -> "q.changed_minute = ? ";
          case TURNING -> "q.told_until <= ? ";
        };
  }

  /** The condition that a queue's name comes behind another one. */
  default String isBehind() {
    return "(event_type, event_id) > (?, ?)";
  }

  /** The values for {@link #isBehind}. */
  default List<Object> behind(String type, String id) {
    return List.of(type, id);
  }

  /**
   * What stands behind {@code FROM} where rows are given as lists, one for each column.
   *
   * @param types of the columns
   */
  default String lists(String... types) {
    throw new IllegalStateException("this database takes no lists");
  }

  /** Makes an insert leave a row alone that is there already. */
  default String ifAbsent(String insert) {
    return insert + " ON CONFLICT DO NOTHING";
  }

  /** Makes an insert put these columns in place of those of a row that is there already. */
  default String orReplace(String insert, String key, String... columns) {
    return insert
        + (" ON CONFLICT (" + key + ") DO UPDATE SET ")
        + each("%1$s = excluded.%1$s", columns);
  }

  static String each(String format, String... columns) {
    return String.join(", ", List.of(columns).stream().map(format::formatted).toList());
  }

  // Its failures.

  /** Whether the connection is gone, so that another one may do better. */
  default boolean isConnectionLost(SQLException e) {
    return e instanceof SQLTransientConnectionException
        || state(e).startsWith("08")
        || isReadOnly(e);
  }

  /** Whether it takes no changes: a standby, or a primary that is one no longer. */
  default boolean isReadOnly(SQLException e) {
    return state(e).equals("25006");
  }

  /** Whether it was given up so that others could go on; the same may work now. */
  default boolean isVictim(SQLException e) {
    return state(e).equals("40001");
  }

  /** Whether this user has no right to do it. */
  default boolean isForbidden(SQLException e) {
    return state(e).equals("42501");
  }

  default boolean isTimeout(SQLException e) {
    return e instanceof SQLTimeoutException;
  }

  /**
   * Whether the database as a whole cannot do its work now, though it answers; otherwise the
   * transaction failed for what it was about, and another one may work.
   */
  boolean isOfAll(SQLException e);

  static String state(SQLException e) {
    return String.valueOf(e.getSQLState());
  }

  /** The one value that is answered. */
  static String value(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      result.next();
      return result.getString(1);
    }
  }
}
