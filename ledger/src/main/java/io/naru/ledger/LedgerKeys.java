package io.naru.ledger;

import io.naru.keys.KeyStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Signing keys in the ledger: one row, replaced only at the version that was read. */
final class LedgerKeys implements KeyStore {

  private static final String NAME = "passes";

  private static final String SELECT = "SELECT version, content FROM signing_keys WHERE name = ?";

  private static final String INSERT =
      "INSERT INTO signing_keys (version, content, name) VALUES (?, ?, ?) ON CONFLICT DO NOTHING";

  private static final String UPDATE =
      "UPDATE signing_keys SET version = ?, content = ? WHERE name = ? AND version = ?";

  private final DataSource pool;

  LedgerKeys(DataSource pool) {
    this.pool = pool;
  }

  @Override
  public Text read() {
    try (Connection connection = pool.getConnection();
        PreparedStatement select = connection.prepareStatement(SELECT)) {
      select.setString(1, NAME);
      try (ResultSet result = select.executeQuery()) {
        return result.next() ? new Text(result.getLong(1), result.getString(2)) : Text.NONE;
      }
    } catch (SQLException e) {
      throw Failures.unavailable("read the signing keys", e);
    }
  }

  @Override
  public boolean replace(Text read, Text next) {
    boolean isFirst = read.version() == 0;
    try (Connection connection = pool.getConnection();
        PreparedStatement write = connection.prepareStatement(isFirst ? INSERT : UPDATE)) {
      write.setLong(1, next.version());
      write.setString(2, next.content());
      write.setString(3, NAME);
      if (!isFirst) {
        write.setLong(4, read.version());
      }
      return write.executeUpdate() == 1;
    } catch (SQLException e) {
      throw Failures.unavailable("keep the signing keys", e);
    }
  }
}
