package io.naru.ledger;

import io.naru.ledger.Dialect.Index;
import io.naru.line.OverTurn;
import io.naru.queue.Entry;
import io.naru.queue.Entry.Status;
import io.naru.queue.EntryKey;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Turns that are over, as a gate needs them. */
final class OverRows {

  /** Turns that were over before their pass was; for those that count, the pass is not over yet. */
  private static final String OVER =
      "AND e.live IS NULL AND e.expires_at > e.ended_at AND e.expires_at > ? ";

  static final Sql SINCE =
      select(Index.CHANGE, OVER + "AND e.change_no > ? ORDER BY e.change_no LIMIT ?");

  /** With which change it begins that somebody's state changed so many times since. */
  static final Sql BEFORE =
      dialect ->
          "SELECT e.change_no FROM "
              + dialect.entries(Index.CHANGE, "?")
              + "ORDER BY e.change_no DESC LIMIT 1 OFFSET ?";

  /** In the order that the index has; and by changes, in another. */
  static final Sql SOME = select(Index.OVER, OVER + "ORDER BY e.expires_at LIMIT ?");

  static final Sql ALL = select(Index.OVER, OVER + "ORDER BY e.change_no");

  private final Rows rows;

  OverRows(Rows rows) {
    this.rows = rows;
  }

  private static Sql select(Index index, String conditions) {
    return dialect ->
        "SELECT e.user_id, e.joined_at, e.entered_at, e.expires_at, e.cut_at, e.change_no FROM "
            + dialect.entries(index, "?")
            + conditions;
  }

  /** Turns over since a change, the first of them. */
  List<OverTurn> since(QueueRow queue, long change, long now, int limit) throws SQLException {
    return flat(rows.list(result -> turns(result, queue), SINCE, queue.id, now, change, limit));
  }

  /** The change since which at most so many people changed, or left the line; 0 if that is all. */
  long before(QueueRow queue, int people) throws SQLException {
    return rows.list(result -> result.getLong(1), BEFORE, queue.id, people).stream()
        .findFirst()
        .orElse(0L);
  }

  /** Turns over whose pass is not, by changes if they are all of them. */
  List<OverTurn> some(QueueRow queue, long now, int limit) throws SQLException {
    List<OverTurn> some =
        flat(rows.list(result -> turns(result, queue), SOME, queue.id, now, limit));
    some.sort(Comparator.comparingLong(OverTurn::change));
    return some;
  }

  /** All turns over whose pass is not, by changes, without holding them. */
  void all(QueueRow queue, long now, int size, Consumer<OverTurn> each) throws SQLException {
    rows.each(result -> turns(result, queue).forEach(each), size, ALL, queue.id, now);
  }

  private static List<OverTurn> flat(List<List<OverTurn>> turns) {
    return turns.stream().flatMap(List::stream).collect(Collectors.toCollection(ArrayList::new));
  }

  private static List<OverTurn> turns(ResultSet result, QueueRow queue) throws SQLException {
    var key = new EntryKey(queue.queue, result.getString(1), result.getLong(2));
    var entry = new Entry(key, Status.ENTERED, result.getLong(3), result.getLong(4));
    return OverTurn.of(entry, result.getLong(5), result.getLong(6));
  }
}
