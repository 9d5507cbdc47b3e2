package io.naru.ledger;

import io.naru.audit.Act;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Steps beside the writer's, each a transaction of its own that keeps what was done with it.
 * Blocks.
 */
final class Acting {

  private static final int TRIES = 5;

  private final Pool pool;
  private final Dialect dialect;
  private final Tables tables;

  Acting(Pool pool, Dialect dialect, Tables tables) {
    this.pool = pool;
    this.dialect = dialect;
    this.tables = tables;
  }

  /** A step that does something or not. */
  interface Step<T> {
    T take(Rows rows, Kept kept) throws SQLException;
  }

  /** A step that changes nothing. */
  interface Look<T> {
    T take(Rows rows) throws SQLException;
  }

  /** To whom a step says what it did. */
  interface Kept {
    void note(@Nullable Act act) throws SQLException;
  }

  /** A step failed, and its connection with it: nothing of it can have been committed. */
  private static final class Lost extends SQLException {
    private static final long serialVersionUID = 1;

    Lost(SQLException cause) {
      super(cause.getMessage(), cause.getSQLState(), cause.getErrorCode(), cause);
    }
  }

  /**
   * Once more, if it was given up so that others could go on, or if its connection was lost before
   * it had come to an end: a database ends the sessions of those who rest within a transaction, and
   * on a busy machine that may be anybody.
   *
   * @param operation in words, for whoever hears that it failed
   */
  <T> T run(String operation, Step<T> step) {
    return repeat(operation, () -> tryOnce(step));
  }

  /**
   * Without a transaction: nothing is locked, there is no commit whose answer could be lost, and no
   * database ends the session of who rests.
   */
  <T> T read(String operation, Look<T> look) {
    return repeat(operation, () -> lookOnce(look));
  }

  private interface Try<T> {
    T take() throws SQLException;
  }

  private <T> T repeat(String operation, Try<T> once) {
    for (int tries = 1; ; tries++) {
      try {
        return once.take();
      } catch (Lost e) {
        // Only once: each try may take as long as one waits for a database that does not answer.
        if (tries > 1) {
          throw new Failures(dialect).unavailable(operation, e);
        }
      } catch (SQLException e) {
        if (tries == TRIES || !dialect.isVictim(e)) {
          throw new Failures(dialect).unavailable(operation, e);
        }
      }
    }
  }

  private <T> T tryOnce(Step<T> step) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      dialect.beginChange(connection);
      T done;
      try {
        done = take(step, connection);
        // At the end: a read before the first change could fix what the others see.
        tables.check(connection);
      } catch (SQLException e) {
        undo(connection, e);
        throw e;
      } catch (RuntimeException e) {
        connection.rollback();
        throw e;
      }
      connection.commit();
      return done;
    }
  }

  private <T> T lookOnce(Look<T> look) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      try {
        T seen = look.take(new Rows(connection, dialect));
        tables.check(connection);
        return seen;
      } catch (SQLException e) {
        throw dialect.isConnectionLost(e) ? new Lost(e) : e;
      }
    }
  }

  private <T> T take(Step<T> step, Connection connection) throws SQLException {
    var rows = new Rows(connection, dialect);
    return step.take(
        rows,
        act -> {
          if (act != null) {
            rows.audit().insert(act, dialect.now(connection));
          }
        });
  }

  private static void undo(Connection connection, SQLException why) throws Lost {
    try {
      connection.rollback();
    } catch (SQLException e) {
      why.addSuppressed(e);
      throw new Lost(why);
    }
  }
}
