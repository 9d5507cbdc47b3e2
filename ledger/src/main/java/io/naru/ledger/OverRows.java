package io.naru.ledger;

import io.naru.ledger.Dialect.Index;
import io.naru.line.OverTurn;
import io.naru.queue.Entry;
import io.naru.queue.Entry.Status;
import io.naru.queue.EntryKey;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/** Turns that are over, as a gate needs them. */
final class OverRows {

  /** Turns that were over before their pass was; for those that count, the pass is not over yet. */
  private static final String OVER =
      "AND e.live IS NULL AND e.expires_at > e.ended_at AND e.expires_at > ? ";

  static final Sql SINCE =
      select(Index.CHANGE, OVER + "AND e.change_no > ? ORDER BY e.change_no LIMIT ?");

  /** In the order that the index has; and by changes, in another. */
  static final Sql SOME = select(Index.OVER, OVER + "ORDER BY e.expires_at LIMIT ?");

  static final Sql ALL = select(Index.OVER, OVER + "ORDER BY e.change_no");

  private final Rows rows;

  OverRows(Rows rows) {
    this.rows = rows;
  }

  private static Sql select(Index index, String conditions) {
    return dialect ->
        "SELECT e.user_id, e.joined_at, e.entered_at, e.expires_at, e.change_no FROM "
            + dialect.entries(index, "?")
            + conditions;
  }

  /** Turns over since a change, the first of them. */
  List<OverTurn> since(QueueRow queue, long change, long now, int limit) throws SQLException {
    return rows.list(result -> turn(result, queue), SINCE, queue.id, now, change, limit);
  }

  /** Turns over whose pass is not, by changes if they are all of them. */
  List<OverTurn> some(QueueRow queue, long now, int limit) throws SQLException {
    List<OverTurn> some = rows.list(result -> turn(result, queue), SOME, queue.id, now, limit);
    some.sort(Comparator.comparingLong(OverTurn::change));
    return some;
  }

  /** All turns over whose pass is not, by changes, without holding them. */
  void all(QueueRow queue, long now, int size, Consumer<OverTurn> each) throws SQLException {
    rows.each(result -> each.accept(turn(result, queue)), size, ALL, queue.id, now);
  }

  private static OverTurn turn(ResultSet result, QueueRow queue) throws SQLException {
    var key = new EntryKey(queue.queue, result.getString(1), result.getLong(2));
    return new OverTurn(
        new Entry(key, Status.ENTERED, result.getLong(3), result.getLong(4)), result.getLong(5));
  }
}
