package io.naru.ledger;

import io.naru.decision.Book;
import io.naru.decision.EntryState;
import io.naru.history.Past;
import io.naru.ledger.Dialect.Index;
import java.sql.SQLException;
import java.util.List;

/** The entries of one person, as an operator asks about them. */
final class PersonRows {

  /** What a transaction has time for; visitors wait for it. */
  private static final int MAX_ERASED = 1_000;

  static final Sql OF_USER =
      EntryRows.select(
          Index.USER, "AND e.user_id = ? AND e.joined_at < ? ORDER BY e.joined_at DESC LIMIT ?");

  static final Sql AT = EntryRows.select(Index.LINE, "AND e.joined_at = ?");

  static final Sql KEYS =
      dialect ->
          "SELECT e.joined_at, e.change_no FROM "
              + dialect.entries(Index.USER, "?")
              + "AND e.user_id = ? LIMIT ?";

  /** A session's hash is somebody's too; that there was one is not. */
  static final Sql ERASE =
      Sql.of(
          """
          UPDATE queue_entries
          SET user_id = ?, redeemed_by = CASE WHEN redeemed_by = '' THEN '' ELSE 'erased' END
          WHERE queue_id = ? AND joined_at = ?
          """);

  private final Rows rows;

  PersonRows(Rows rows) {
    this.rows = rows;
  }

  /** The latest first. */
  List<Past> of(QueueRow queue, String user, long before, int limit, long now) throws SQLException {
    List<EntryState> entries = rows.list(EntryRows::row, OF_USER, queue.id, user, before, limit);
    if (queue.presence != null) {
      for (EntryState entry : entries) {
        if (entry.isWaiting()) {
          entry.passed(rows.presence().since(queue.id, entry.joined));
          Book.Debt debt = rows.owed().of(queue.id, entry.joined);
          entry.owing(debt.owed(), debt.until());
        }
      }
    }
    return entries.stream().map(entry -> entry.past(queue.queue, now)).toList();
  }

  /** The one that joined then, if any. */
  List<Past> at(QueueRow queue, long joined, long now) throws SQLException {
    return rows.list(result -> EntryRows.row(result).past(queue.queue, now), AT, queue.id, joined);
  }

  /** When somebody joined, and the change that their entry is of. */
  private record Key(long joined, long change) {}

  /**
   * Gives somebody's entries another name, many of them at most.
   *
   * @return the change with which the last of them ended: who knows of that knows none of them
   */
  long erase(QueueRow queue, String user, String name) throws SQLException {
    List<Key> keys =
        rows.list(
            result -> new Key(result.getLong(1), result.getLong(2)),
            KEYS,
            queue.id,
            user,
            MAX_ERASED);
    rows.updateAll(
        ERASE,
        keys,
        (erase, key) -> {
          erase.setString(1, name);
          erase.setLong(2, queue.id);
          erase.setLong(3, key.joined);
        });
    return keys.stream().mapToLong(Key::change).max().orElse(0);
  }
}
