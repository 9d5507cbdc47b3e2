package io.naru.ledger;

import java.io.Closeable;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.Properties;

/** What is different from one database to the next. */
interface Dialect {

  /** In words, for people: with its version. */
  String describe(Connection connection) throws SQLException;

  /**
   * Takes possession of what only one server may use; closing gives it back.
   *
   * @throws LedgerRefused if another server has it
   */
  Closeable claim(String url);

  /** The folder of its migrations. */
  String migrations();

  /**
   * Makes a select of one row keep others from changing it. Where the database has a clock of its
   * own, its answer has another column, {@code now}: the time when it had the lock.
   */
  String locking(String select);

  /** Makes this transaction wait only briefly for a lock. */
  void hurry(Connection connection) throws SQLException;

  /** The time, in microseconds since 2026-01-01, on the clock that decides. */
  long now(Connection connection) throws SQLException;

  /** The time came with another answer; returns it as {@link #now} would. */
  long noticed(long now);

  /** The same time as far as it is known here, without asking. */
  long nowHere();

  /** Time-outs, durability and whatever else its connections need. */
  Properties properties(Use use);

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

  /** Begins a transaction that sees one state of the database, whatever others do meanwhile. */
  void beginSnapshot(Connection connection) throws SQLException;

  static Dialect of(String url, InstantSource clock) {
    if (url.startsWith("jdbc:sqlite:")) {
      return new Sqlite(clock);
    }
    if (url.startsWith("jdbc:postgresql:")) {
      return new Postgres();
    }
    throw new LedgerRefused(
        "'"
            + url.replaceAll("[?@].*", "…")
            + "' is not a ledger Naru knows: jdbc:sqlite:FILE, jdbc:postgresql://HOST/DATABASE or none");
  }
}
