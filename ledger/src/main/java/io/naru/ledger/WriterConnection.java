package io.naru.ledger;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one connection of the writer, made when it is needed. A pool would wait longer and longer
 * between its tries to connect, and those who enter would wait with it: here a database that is
 * away is noticed at once, and so is one that is back.
 *
 * <p>Used by the writer's thread only.
 */
final class WriterConnection implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(WriterConnection.class);

  private final Dialect dialect;
  private final String url;
  private final Properties properties;

  /** More than the decisions of any day need. */
  private static final int KEPT_STATEMENTS = 64;

  /** So long. */
  private static final Duration APART = Duration.ofMinutes(1);

  private @Nullable Long apartSince;
  private @Nullable Connection connection;
  private @Nullable Statements statements;
  private int era;

  WriterConnection(Dialect dialect, Ledger.Config config, Properties properties) {
    this.dialect = dialect;
    this.url = config.url();
    this.properties = properties;
  }

  /** Begins a transaction. */
  Connection begin() throws SQLException {
    if (connection != null && era != dialect.era()) {
      drop();
    }
    Connection open = connection;
    if (open == null) {
      open = dialect.connect(url, properties);
      connection = open;
      statements = Statements.kept(open, KEPT_STATEMENTS);
      era = dialect.era();
    }
    try {
      open.setAutoCommit(false);
    } catch (SQLException e) {
      // Some drivers ask the database for this, and it may have gone since the last transaction.
      drop();
      throw e;
    }
    return open;
  }

  /** The tables, over the connection on which a transaction has begun. */
  Rows rows() {
    Statements begun = Objects.requireNonNull(statements, "nothing has begun");
    boolean isApart = apartSince != null && System.nanoTime() - apartSince < APART.toNanos();
    return isApart ? Rows.oneByOne(begun, dialect) : Rows.ofTransaction(begun, dialect);
  }

  /**
   * A commit was answered with a warning. Where others went with it, it may be one of those that
   * warns, as a trigger of somebody else's may each time: the next ones go by themselves, for a
   * commit of which nobody knows whether it happened costs far more than a few trips.
   */
  void warned() {
    apartSince = System.nanoTime();
  }

  /** The transaction is over, committed or rolled back. */
  void end() throws SQLException {
    if (connection != null) {
      // A SQLite that does not commit by itself would begin the next transaction now, and keep
      // everybody else out.
      connection.setAutoCommit(true);
    }
  }

  /** This connection is of no more use. */
  void drop() {
    try {
      if (connection != null) {
        connection.close();
      }
    } catch (SQLException e) {
      log.debug("it was gone already", e);
    }
    connection = null;
    statements = null;
  }

  @Override
  public void close() {
    drop();
  }
}
