package io.naru.ledger;

import io.naru.keys.KeyStore;
import io.naru.keys.KeyStoreContract;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** The keys in a ledger, whatever its database. */
abstract class LedgerKeysContract extends KeyStoreContract {

  abstract LedgerFixture fixture();

  @Override
  protected KeyStore store() {
    return fixture().ledger().keys();
  }

  @Override
  protected void empty() throws SQLException {
    try (Connection connection = fixture().connect();
        Statement delete = connection.createStatement()) {
      delete.executeUpdate("DELETE FROM signing_keys");
    }
  }
}
