package io.naru.ledger;

import io.naru.access.AccessKeys;
import io.naru.access.AccessKeysContract;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** Access keys in a ledger, whatever its database. */
abstract class LedgerAccessContract extends AccessKeysContract {

  abstract LedgerFixture fixture();

  @Override
  protected AccessKeys store() {
    return fixture().ledger().access();
  }

  @Override
  protected void empty() throws SQLException {
    try (Connection connection = fixture().connect();
        Statement delete = connection.createStatement()) {
      delete.executeUpdate("DELETE FROM access_keys");
    }
  }
}
