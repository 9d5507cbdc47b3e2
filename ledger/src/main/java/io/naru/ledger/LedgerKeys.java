package io.naru.ledger;

import io.naru.keys.KeyStore;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Signing keys in the ledger: one row, replaced only at the version that was read. */
final class LedgerKeys implements KeyStore {

  private static final String NAME = "passes";

  private static final Sql SELECT =
      Sql.of("SELECT version, content FROM signing_keys WHERE name = ?");

  private static final Sql INSERT =
      dialect ->
          dialect.ifAbsent("INSERT INTO signing_keys (version, content, name) VALUES (?, ?, ?)");

  private static final Sql UPDATE =
      Sql.of("UPDATE signing_keys SET version = ?, content = ? WHERE name = ? AND version = ?");

  private final DataSource pool;
  private final Dialect dialect;

  LedgerKeys(DataSource pool, Dialect dialect) {
    this.pool = pool;
    this.dialect = dialect;
  }

  @Override
  public Text read() {
    try (Connection connection = pool.getConnection()) {
      return new Rows(connection, dialect)
          .list(result -> new Text(result.getLong(1), result.getString(2)), SELECT, NAME).stream()
              .findFirst()
              .orElse(Text.NONE);
    } catch (SQLException e) {
      throw new Failures(dialect).unavailable("read the signing keys", e);
    }
  }

  @Override
  public boolean replace(Text read, Text next) {
    try (Connection connection = pool.getConnection()) {
      var rows = new Rows(connection, dialect);
      int replaced =
          read.version() == 0
              ? rows.update(INSERT, next.version(), next.content(), NAME)
              : rows.update(UPDATE, next.version(), next.content(), NAME, read.version());
      return replaced == 1;
    } catch (SQLException e) {
      throw new Failures(dialect).unavailable("keep the signing keys", e);
    }
  }
}
