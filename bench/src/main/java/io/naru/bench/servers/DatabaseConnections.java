package io.naru.bench.servers;

import io.naru.testkit.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** How many connections a database has had at most, whenever somebody looked. */
public final class DatabaseConnections implements AutoCloseable {

  private static final String COUNT = "SELECT count(*) FROM pg_stat_activity WHERE datname = ?";

  private final PostgresServer postgres;
  private final String database;
  private @Nullable Connection connection;
  private int most;

  public DatabaseConnections(PostgresServer postgres, Store store) {
    this.postgres = postgres;
    this.database = store.database();
  }

  /** Nothing is seen while the database is away. */
  public void look() {
    try {
      if (connection == null) {
        connection = postgres.connect();
      }
      count(connection);
    } catch (SQLException e) {
      close();
    }
  }

  private void count(Connection open) throws SQLException {
    try (PreparedStatement select = open.prepareStatement(COUNT)) {
      select.setString(1, database);
      try (var result = select.executeQuery()) {
        result.next();
        most = Math.max(most, result.getInt(1));
      }
    }
  }

  public int most() {
    return most;
  }

  @Override
  public void close() {
    var open = connection;
    connection = null;
    if (open != null) {
      try {
        open.close();
      } catch (SQLException e) {
        throw new IllegalStateException("cannot close the connection to PostgreSQL", e);
      }
    }
  }
}
