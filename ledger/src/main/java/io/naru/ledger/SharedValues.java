package io.naru.ledger;

import java.sql.SQLException;

/** What all servers of a ledger have in common. */
final class SharedValues {

  private static final Sql INSERT =
      dialect -> dialect.ifAbsent("INSERT INTO shared_values (name, value) VALUES (?, ?)");

  private static final Sql SELECT = Sql.of("SELECT value FROM shared_values WHERE name = ?");

  private final Rows rows;

  SharedValues(Rows rows) {
    this.rows = rows;
  }

  /** The value that all servers share under this name: the first one's candidate. */
  String share(String name, String candidate) throws SQLException {
    rows.update(INSERT, name, candidate);
    return rows.one(result -> result.getString(1), SELECT, name);
  }
}
