package io.naru.ledger;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.LinkedHashMap;

/**
 * The statements of one connection. Those of the writer are kept for the next transaction: SQLite
 * compiles a statement each time it is prepared, which took a fifth of the writer's time.
 */
final class Statements {

  private final Connection connection;
  private final int most;

  /** By their text; who was not used for longest comes first, and has to go first. */
  private final LinkedHashMap<String, PreparedStatement> kept =
      new LinkedHashMap<>(16, 0.75f, true);

  private Statements(Connection connection, int most) {
    this.connection = connection;
    this.most = most;
  }

  /** Each is prepared when it is needed, and closed after that. */
  static Statements of(Connection connection) {
    return new Statements(connection, 0);
  }

  /**
   * So many are kept until the connection is closed, which closes them.
   *
   * @param most lists have few lengths ({@link Rows#parts}), so there are not many of them
   */
  static Statements kept(Connection connection, int most) {
    return new Statements(connection, most);
  }

  Connection connection() {
    return connection;
  }

  /** What is done with a statement, until it and its results are of no more use. */
  interface Step<A, E extends Exception> {
    A take(PreparedStatement statement) throws SQLException, E;
  }

  /** After a failure nothing is kept of it. */
  <A, E extends Exception> A with(String sql, Step<A, E> step) throws SQLException, E {
    // Taken out while it is used: whoever asks for the same meanwhile gets another.
    PreparedStatement found = kept.remove(sql);
    PreparedStatement statement = found != null ? found : connection.prepareStatement(sql);
    A answer;
    try {
      answer = step.take(statement);
    } catch (Throwable e) {
      try (statement) {
        throw e;
      }
    }
    keep(sql, statement);
    return answer;
  }

  private void keep(String sql, PreparedStatement statement) throws SQLException {
    PreparedStatement other = kept.put(sql, statement);
    if (other == null && kept.size() > most) {
      other = kept.pollFirstEntry().getValue();
    }
    if (other != null) {
      other.close();
    }
  }
}
