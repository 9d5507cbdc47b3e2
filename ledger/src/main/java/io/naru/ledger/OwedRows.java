package io.naru.ledger;

import io.naru.decision.Book.Debt;
import io.naru.decision.EntryState;
import io.naru.queue.Owed;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Who waits and owes something. */
final class OwedRows {

  private static final Sql PUT =
      dialect ->
          dialect.orReplace(
              "INSERT INTO queue_owed (queue_id, joined_at, owed, owed_until) VALUES (?, ?, ?, ?)",
              "queue_id, joined_at",
              "owed",
              "owed_until");

  private static final Sql DELETE =
      Sql.of("DELETE FROM queue_owed WHERE queue_id = ? AND joined_at = ?");

  private static final Sql DELETE_ALL = Sql.of("DELETE FROM queue_owed WHERE queue_id = ?");

  static final Sql FIRST =
      Sql.of(
          "SELECT joined_at FROM queue_owed /*M! FORCE INDEX (queue_owed_until) */"
              + " WHERE queue_id = ? AND owed_until > 0 ORDER BY owed_until LIMIT ?");

  private final Rows rows;

  OwedRows(Rows rows) {
    this.rows = rows;
  }

  private record Row(long joined, Debt debt) {}

  Map<Long, Debt> of(long queue, Collection<Long> joined) throws SQLException {
    Map<Long, Debt> found = new HashMap<>();
    for (List<Long> some : rows.parts(joined)) {
      List<Object> values = new ArrayList<>(some.size() + 1);
      values.add(queue);
      values.addAll(some);
      rows.list(
              result ->
                  new Row(
                      result.getLong(1),
                      new Debt(Owed.valueOf(result.getString(2)), result.getLong(3))),
              Sql.of(
                  "SELECT joined_at, owed, owed_until FROM queue_owed"
                      + " WHERE queue_id = ? AND joined_at IN "
                      + Rows.marks(some.size())),
              values.toArray())
          .forEach(row -> found.put(row.joined, row.debt));
    }
    return found;
  }

  /** What somebody owes. */
  Debt of(long queue, long joined) throws SQLException {
    return of(queue, List.of(joined)).getOrDefault(joined, new Debt(Owed.NOTHING, 0));
  }

  /** Those for whom it is over first that they are passed over for it. */
  List<Long> first(long queue, int count) throws SQLException {
    return rows.list(result -> result.getLong(1), FIRST, queue, count);
  }

  /** Keeps what these owe, as long as they wait and do. */
  void note(long queue, Collection<EntryState> some) throws SQLException {
    put(queue, some.stream().filter(OwedRows::isKept).toList());
    delete(queue, some.stream().filter(entry -> !isKept(entry)).toList());
  }

  private static boolean isKept(EntryState entry) {
    return entry.isWaiting() && entry.owes();
  }

  private void put(long queue, List<EntryState> some) throws SQLException {
    rows.updateAll(
        PUT,
        some,
        (put, entry) -> {
          put.setLong(1, queue);
          put.setLong(2, entry.joined);
          put.setString(3, entry.owed.name());
          put.setLong(4, entry.owedUntil);
        });
  }

  private void delete(long queue, List<EntryState> some) throws SQLException {
    rows.updateAll(
        DELETE,
        some,
        (delete, entry) -> {
          delete.setLong(1, queue);
          delete.setLong(2, entry.joined);
        });
  }

  /** All of a queue. */
  void forgetAll(long queue) throws SQLException {
    rows.update(DELETE_ALL, queue);
  }
}
