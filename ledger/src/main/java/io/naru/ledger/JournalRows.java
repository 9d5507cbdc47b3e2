package io.naru.ledger;

import io.naru.journal.Journaled;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/** The events of changes that are not in the log of their queue yet. */
final class JournalRows {

  private static final Sql INSERT =
      Sql.of("INSERT INTO queue_journal (queue_id, change_no, at, events) VALUES (?, ?, ?, ?)");

  static final Sql AFTER =
      Sql.of(
          """
          SELECT change_no, at, events FROM queue_journal
          WHERE queue_id = ? AND change_no > ? ORDER BY change_no LIMIT ?""");

  static final Sql FORGET =
      Sql.of("DELETE FROM queue_journal WHERE queue_id = ? AND change_no <= ?");

  private static final Sql LAST_OF_FIRST =
      Sql.of(
          """
          SELECT max(change_no) FROM (
            SELECT change_no FROM queue_journal WHERE queue_id = ? ORDER BY change_no LIMIT ?
          ) first""");

  private final Rows rows;

  JournalRows(Rows rows) {
    this.rows = rows;
  }

  void insert(long queue, long change, long at, String events) throws SQLException {
    rows.change(INSERT, queue, change, at, events);
  }

  List<Journaled> after(long queue, long change, int limit) throws SQLException {
    return rows.list(JournalRows::row, AFTER, queue, change, limit);
  }

  private static Journaled row(ResultSet result) throws SQLException {
    return new Journaled(result.getLong(1), result.getLong(2), result.getString(3));
  }

  void forget(long queue, long upTo) throws SQLException {
    rows.update(FORGET, queue, upTo);
  }

  /** Forgets the first of a queue; says whether there may be more. */
  boolean forgetSome(long queue, int limit) throws SQLException {
    long last = rows.one(result -> result.getLong(1), LAST_OF_FIRST, queue, limit);
    return last > 0 && rows.update(FORGET, queue, last) >= limit;
  }
}
