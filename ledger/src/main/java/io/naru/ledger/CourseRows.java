package io.naru.ledger;

import io.naru.history.Course;
import io.naru.ledger.Dialect.Index;
import io.naru.queue.EndReason;
import io.naru.queue.Entry.Status;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/** Entries without their names, as statistics need them. */
final class CourseRows {

  static final Sql JOINED =
      dialect ->
          "SELECT e.joined_at, e.entered_at, e.expires_at, e.ended_at, e.status, e.redeemed_by,"
              + " e.end_reason FROM "
              + dialect.entries(Index.LINE, "?")
              + "AND e.joined_at >= ? AND e.joined_at < ? ORDER BY e.joined_at LIMIT ?";

  private final Rows rows;

  CourseRows(Rows rows) {
    this.rows = rows;
  }

  /** Those who joined from one moment on and before another, the first of them. */
  List<Course> joined(long queue, long from, long to, int limit) throws SQLException {
    return rows.list(CourseRows::row, JOINED, queue, from, to, limit);
  }

  private static Course row(ResultSet result) throws SQLException {
    return new Course(
        result.getLong(1),
        result.getLong(2),
        result.getLong(3),
        result.getLong(4),
        Status.valueOf(result.getString(5)),
        !result.getString(6).isEmpty(),
        EndReason.of(result.getString(7)));
  }
}
