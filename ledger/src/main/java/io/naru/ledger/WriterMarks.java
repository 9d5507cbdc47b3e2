package io.naru.ledger;

import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** The last transaction of each server, in which it left its number. */
final class WriterMarks {

  private static final Sql MARK =
      dialect ->
          dialect.orReplace(
              "INSERT INTO writers (server, batch, seen_at) VALUES (?, ?, ?)",
              "server",
              "batch",
              "seen_at");

  private static final Sql IS_MARKED =
      Sql.of("SELECT 1 FROM writers WHERE server = ? AND batch = ?");

  private static final Sql OF =
      dialect -> dialect.locking("SELECT batch FROM writers WHERE server = ?");

  private static final Sql SINCE = Sql.of("SELECT server, batch FROM writers WHERE seen_at >= ?");

  private static final Sql FORGET = Sql.of("DELETE FROM writers WHERE seen_at < ?");

  private final Rows rows;

  WriterMarks(Rows rows) {
    this.rows = rows;
  }

  void mark(String server, long batch, long now) throws SQLException {
    rows.change(MARK, server, batch, now);
  }

  boolean isMarked(String server, long batch) throws SQLException {
    return !rows.list(_ -> true, IS_MARKED, server, batch).isEmpty();
  }

  /**
   * What a server left last, when nobody is about to leave more; empty if it has left nothing, or
   * long ago.
   */
  Optional<Long> of(String server) throws SQLException {
    return rows.list(result -> result.getLong("batch"), OF, server).stream().findFirst();
  }

  /** What one server left in its last transaction; another one after the next. */
  record Mark(String server, long batch) {}

  /** Those who have written since then, with what they left last. */
  List<Mark> since(long then) throws SQLException {
    return rows.list(result -> new Mark(result.getString(1), result.getLong(2)), SINCE, then);
  }

  /** Forgets servers that have not written for long. */
  void forget(long before) throws SQLException {
    rows.update(FORGET, before);
  }
}
