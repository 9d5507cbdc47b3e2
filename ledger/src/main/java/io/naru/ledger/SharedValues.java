package io.naru.ledger;

import java.sql.SQLException;

/** What all servers of a ledger have in common. */
final class SharedValues {

  private static final String INSERT =
      "INSERT INTO shared_values (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING";

  private final Rows rows;

  SharedValues(Rows rows) {
    this.rows = rows;
  }

  /** The value that all servers share under this name: the first one's candidate. */
  String share(String name, String candidate) throws SQLException {
    rows.update(INSERT, name, candidate);
    String select = "SELECT value FROM shared_values WHERE name = ?";
    return rows.one(result -> result.getString(1), select, name);
  }
}
