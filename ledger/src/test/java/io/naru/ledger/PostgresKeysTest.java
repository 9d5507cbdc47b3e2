package io.naru.ledger;

import io.naru.keys.KeyStore;
import io.naru.keys.KeyStoreContract;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.extension.RegisterExtension;

class PostgresKeysTest extends KeyStoreContract {

  @RegisterExtension private static final LedgerFixture fixture = LedgerFixture.postgresAndRedis();

  @Override
  protected KeyStore store() {
    return fixture.ledger().keys();
  }

  @Override
  protected void empty() throws SQLException {
    try (Connection connection = fixture.connect();
        Statement delete = connection.createStatement()) {
      delete.executeUpdate("DELETE FROM signing_keys");
    }
  }
}
