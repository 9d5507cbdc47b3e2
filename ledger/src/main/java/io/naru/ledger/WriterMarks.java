package io.naru.ledger;

import java.sql.SQLException;

/** The last transaction of each server, in which it left its number. */
final class WriterMarks {

  private static final String MARK =
      """
      INSERT INTO writers (server, batch, seen_at) VALUES (?, ?, ?)
      ON CONFLICT (server) DO UPDATE SET batch = excluded.batch, seen_at = excluded.seen_at
      """;

  private final Rows rows;

  WriterMarks(Rows rows) {
    this.rows = rows;
  }

  void mark(String server, long batch, long now) throws SQLException {
    rows.update(MARK, server, batch, now);
  }

  boolean isMarked(String server, long batch) throws SQLException {
    String sql = "SELECT 1 FROM writers WHERE server = ? AND batch = ?";
    return !rows.list(_ -> true, sql, server, batch).isEmpty();
  }

  /** Forgets servers that have not written for long. */
  void forget(long before) throws SQLException {
    rows.update("DELETE FROM writers WHERE seen_at < ?", before);
  }
}
