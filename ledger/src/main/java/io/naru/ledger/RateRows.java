package io.naru.ledger;

import io.naru.rate.RatePoint;
import io.naru.rate.Reason;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.OptionalLong;

/** What the rates of queues were that follow something, at most once a second. */
final class RateRows {

  private static final String COLUMNS =
      "at, rate_milli, inside_limit, inside, p95_micros, errors_milli, reason";

  private static final Sql PUT =
      dialect ->
          dialect.orReplace(
              "INSERT INTO queue_rates (queue_id, " + COLUMNS + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
              "queue_id, at",
              "rate_milli",
              "inside_limit",
              "inside",
              "p95_micros",
              "errors_milli",
              "reason");

  static final Sql FROM =
      Sql.of(
          "SELECT "
              + COLUMNS
              + " FROM queue_rates WHERE queue_id = ? AND at >= ? ORDER BY at LIMIT ?");

  private static final Sql NEXT_QUEUE =
      Sql.of("SELECT min(queue_id) FROM queue_rates WHERE queue_id > ?");

  private static final Sql FIRST = Sql.of("SELECT min(at) FROM queue_rates WHERE queue_id = ?");

  private static final Sql FORGET = Sql.of("DELETE FROM queue_rates WHERE queue_id = ? AND at < ?");

  /** At most so many, which is a day. */
  private static final int MOST = 86_400;

  /** What is deleted at a time: a thousand rows at most. */
  private static final long PART = 1_000 * 1_000_000L;

  private final Rows rows;

  RateRows(Rows rows) {
    this.rows = rows;
  }

  /** One that came twice, after a clock was set back, is kept once. */
  void put(long queue, RatePoint point) throws SQLException {
    rows.change(
        PUT,
        queue,
        point.at(),
        Math.round(point.perSecond() * 1_000),
        Math.round(point.insideLimit()),
        point.inside(),
        Math.round(point.p95Millis() * 1_000),
        Math.round(point.errorPercent() * 1_000),
        point.reason().word());
  }

  List<RatePoint> from(long queue, long from) throws SQLException {
    return rows.list(RateRows::row, FROM, queue, from, MOST);
  }

  private static RatePoint row(ResultSet result) throws SQLException {
    return new RatePoint(
        result.getLong(1),
        result.getLong(2) / 1e3,
        result.getLong(3),
        result.getLong(4),
        result.getLong(5) / 1e3,
        result.getLong(6) / 1e3,
        Reason.of(result.getString(7)));
  }

  /** The next queue that has any, in no order that matters. */
  OptionalLong queueAfter(long queue) throws SQLException {
    return rows.one(RateRows::perhaps, NEXT_QUEUE, queue);
  }

  private static OptionalLong perhaps(ResultSet result) throws SQLException {
    long value = result.getLong(1);
    return result.wasNull() ? OptionalLong.empty() : OptionalLong.of(value);
  }

  /**
   * Forgets the oldest of a queue, some at a time.
   *
   * @return whether there may be more to forget
   */
  boolean forget(long queue, long before) throws SQLException {
    OptionalLong first = rows.one(RateRows::perhaps, FIRST, queue);
    if (first.isEmpty() || first.getAsLong() >= before) {
      return false;
    }
    rows.update(FORGET, queue, Math.min(before, first.getAsLong() + PART));
    return true;
  }
}
