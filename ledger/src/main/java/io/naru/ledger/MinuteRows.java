package io.naru.ledger;

import io.naru.history.Counts;
import io.naru.history.Minute;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** What a queue had counted up to the end of each minute in which it changed. */
final class MinuteRows {

  private static final String COLUMNS =
      "minute, joined_total, entered_total, completed_total, left_total, expired_total";

  private static final Sql PUT =
      dialect ->
          dialect.orReplace(
              "INSERT INTO queue_minutes (queue_id, " + COLUMNS + ") VALUES (?, ?, ?, ?, ?, ?, ?)",
              "queue_id, minute",
              "joined_total",
              "entered_total",
              "completed_total",
              "left_total",
              "expired_total");

  static final Sql BETWEEN =
      Sql.of(select("queue_id = ? AND minute >= ? AND minute < ? ORDER BY minute"));

  static final Sql LAST_BEFORE =
      Sql.of(select("queue_id = ? AND minute < ? ORDER BY minute DESC LIMIT 1"));

  static final Sql FIRST =
      Sql.of(
          "SELECT minute FROM queue_minutes WHERE queue_id = ? AND minute < ?"
              + " ORDER BY minute LIMIT 1");

  static final Sql FORGET = Sql.of("DELETE FROM queue_minutes WHERE queue_id = ? AND minute < ?");

  /** The first minute of each queue, see {@link EndedRows#WITH_ENDED}. */
  static final Sql WITH_OLD =
      Sql.of(
          "SELECT id FROM waiting_queues q WHERE id > ? AND (SELECT m.minute FROM queue_minutes m"
              + " WHERE m.queue_id = q.id AND m.minute < ? ORDER BY m.minute LIMIT 1) IS NOT NULL"
              + " ORDER BY id LIMIT ?");

  /** What is deleted at a time: a row for each of them at most. */
  private static final long PART = 1_000;

  private final Rows rows;

  MinuteRows(Rows rows) {
    this.rows = rows;
  }

  private static String select(String conditions) {
    return "SELECT " + COLUMNS + " FROM queue_minutes WHERE " + conditions;
  }

  /** Keeps a minute that is over; one that came twice, after a clock was set back, once. */
  void put(long queue, Minute closed) throws SQLException {
    Counts counts = closed.counts();
    rows.change(
        PUT,
        queue,
        closed.number(),
        counts.joined(),
        counts.admitted(),
        counts.completed(),
        counts.left(),
        counts.expired());
  }

  /**
   * What was counted up to the end of each minute from one up to the queue's last, which is the
   * row's own, and with the last one before them.
   */
  List<Minute> from(QueueRow queue, long first) throws SQLException {
    Minute last = queue.lastMinute();
    List<Minute> totals = new ArrayList<>();
    long from = Math.min(first, last.number());
    totals.addAll(rows.list(MinuteRows::row, LAST_BEFORE, queue.id, from));
    totals.addAll(rows.list(MinuteRows::row, BETWEEN, queue.id, from, last.number()));
    totals.add(last);
    return totals;
  }

  private static Minute row(ResultSet result) throws SQLException {
    var counts =
        new Counts(
            result.getLong(2),
            result.getLong(3),
            result.getLong(4),
            result.getLong(5),
            result.getLong(6));
    return new Minute(result.getLong(1), counts);
  }

  /** Those queues with a higher number that have minutes before one. */
  List<Long> withOld(long from, long before, int limit) throws SQLException {
    return rows.list(result -> result.getLong(1), WITH_OLD, from, before, limit);
  }

  /**
   * Forgets the oldest minutes of a queue before one, some at a time: years of them may have piled
   * up.
   *
   * @return whether there may be more to forget
   */
  boolean forget(long queue, long before) throws SQLException {
    List<Long> first = rows.list(result -> result.getLong(1), FIRST, queue, before);
    if (first.isEmpty()) {
      return false;
    }
    rows.update(FORGET, queue, Math.min(before, first.getFirst() + PART));
    return true;
  }
}
