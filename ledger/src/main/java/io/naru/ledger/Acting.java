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

  Acting(Pool pool, Dialect dialect) {
    this.pool = pool;
    this.dialect = dialect;
  }

  /** A step that does something or not. */
  interface Step<T> {
    T take(Rows rows, Kept kept) throws SQLException;
  }

  /** To whom a step says what it did. */
  interface Kept {
    void note(@Nullable Act act) throws SQLException;
  }

  /**
   * Once more, if it was given up so that others could go on.
   *
   * @param operation in words, for whoever hears that it failed
   */
  <T> T run(String operation, Step<T> step) {
    for (int tries = 1; ; tries++) {
      try {
        return tryOnce(step);
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
      var rows = new Rows(connection, dialect);
      try {
        T done =
            step.take(
                rows,
                act -> {
                  if (act != null) {
                    rows.audit().insert(act, dialect.now(connection));
                  }
                });
        connection.commit();
        return done;
      } catch (SQLException | RuntimeException e) {
        connection.rollback();
        throw e;
      }
    }
  }
}
