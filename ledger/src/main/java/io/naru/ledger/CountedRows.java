package io.naru.ledger;

import io.naru.ledger.Dialect.Index;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;

/** Those who wait, where only their number matters. */
final class CountedRows {

  /** How many numbers come at a time where there may be millions. */
  private static final int MANY = 20_000;

  static final Sql WAITING_SCORES =
      dialect ->
          "SELECT e.score, e.ticket FROM "
              + dialect.entries(Index.WAITING, "?")
              + EntryRows.IS_WAITING
              + "AND e.score >= ? ORDER BY e.score";

  static final Sql WAITING_BETWEEN =
      dialect ->
          "SELECT count(*) FROM "
              + dialect.entries(Index.WAITING, "?")
              + EntryRows.IS_WAITING
              + "AND e.score >= ? AND e.score < ?";

  private final Rows rows;

  CountedRows(Rows rows) {
    this.rows = rows;
  }

  /** How many wait from one score (or the front) up to another. */
  long waitingBetween(long queue, long from, long to) throws SQLException {
    return rows.one(result -> result.getLong(1), WAITING_BETWEEN, queue, from, to);
  }

  /** Reads the scores and tickets of all who wait, in order; says how many there are. */
  int scores(QueueRow queue, long[] scores, long[] tickets) throws SQLException {
    var count = new AtomicInteger();
    rows.each(
        result -> {
          int next = count.getAndIncrement();
          scores[next] = result.getLong(1);
          tickets[next] = result.getLong(2);
        },
        MANY,
        WAITING_SCORES,
        queue.id,
        queue.frontScore);
    return count.get();
  }
}
