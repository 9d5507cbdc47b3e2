package io.naru.ledger;

import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/** Codes for lanes, as hashes, until they are used. */
final class CodeRows {

  private static final Sql SELECT =
      Sql.of("SELECT lane FROM lane_codes WHERE queue_id = ? AND code = ?");

  private static final Sql INSERT =
      Sql.of("INSERT INTO lane_codes (queue_id, code, lane) VALUES (?, ?, ?)");

  private static final Sql DELETE =
      Sql.of("DELETE FROM lane_codes WHERE queue_id = ? AND code = ?");

  private static final Sql DELETE_ALL = Sql.of("DELETE FROM lane_codes WHERE queue_id = ?");

  private final Rows rows;

  CodeRows(Rows rows) {
    this.rows = rows;
  }

  /** Few people of a batch show one, so each is looked up by itself. */
  Map<String, String> find(long queue, Collection<String> codes) throws SQLException {
    Map<String, String> found = new HashMap<>();
    for (String code : codes) {
      rows.list(result -> result.getString(1), SELECT, queue, code)
          .forEach(lane -> found.put(code, lane));
    }
    return found;
  }

  void insert(long queue, Map<String, String> codes) throws SQLException {
    rows.updateAll(
        INSERT,
        codes.entrySet(),
        (insert, code) -> {
          insert.setLong(1, queue);
          insert.setString(2, code.getKey());
          insert.setString(3, code.getValue());
        });
  }

  void delete(long queue, Collection<String> codes) throws SQLException {
    for (String code : codes) {
      rows.update(DELETE, queue, code);
    }
  }

  void deleteAll(long queue) throws SQLException {
    rows.update(DELETE_ALL, queue);
  }
}
