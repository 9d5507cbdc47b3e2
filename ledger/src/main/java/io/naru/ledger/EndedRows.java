package io.naru.ledger;

import io.naru.ledger.Dialect.Index;
import io.naru.queue.QueueId;
import java.sql.SQLException;
import java.util.List;
import java.util.OptionalLong;

/** What has ended, entries and whole queues, and is deleted in time. */
final class EndedRows {

  private static final String IS_ENDED =
      "AND e.joined_at < ? AND e.live IS NULL AND e.ended_at < ? ";

  /**
   * Who came after {@code before} has not ended before it. The first one of each queue, and no
   * {@code EXISTS}, which the database would turn into a look at all entries.
   */
  static final Sql WITH_ENDED =
      dialect ->
          "SELECT id, event_type, event_id FROM waiting_queues q WHERE id > ? AND (SELECT e.joined_at FROM "
              + dialect.entries(Index.LINE, "q.id")
              + IS_ENDED
              + "ORDER BY e.joined_at LIMIT 1) IS NOT NULL ORDER BY id LIMIT ?";

  static final Sql ENDED = stretch(IS_ENDED);

  static final Sql ALL = stretch("");

  private static final String DELETE_STRETCH =
      "DELETE FROM queue_entries WHERE queue_id = ? AND joined_at > ? AND joined_at <= ? ";

  static final Sql DELETE_ENDED = Sql.of(DELETE_STRETCH + "AND live IS NULL AND ended_at < ?");

  static final Sql DELETE_ALL = Sql.of(DELETE_STRETCH);

  private static final Sql FIRST_DELETED =
      Sql.of("SELECT id FROM deleted_queues ORDER BY id LIMIT 1");

  private static final Sql FORGET_DELETED = Sql.of("DELETE FROM deleted_queues WHERE id = ?");

  private static final Sql KEEP_FROM =
      Sql.of(
          "UPDATE waiting_queues SET kept_from = CASE WHEN kept_from < ? THEN ? ELSE kept_from END"
              + " WHERE id = ?");

  private final Rows rows;

  EndedRows(Rows rows) {
    this.rows = rows;
  }

  private static Sql stretch(String conditions) {
    return dialect ->
        "SELECT count(*), max(joined_at), max(change_no) FROM (SELECT e.joined_at, e.change_no FROM "
            + dialect.entries(Index.LINE, "?")
            + "AND e.joined_at > ? "
            + conditions
            + "ORDER BY e.joined_at LIMIT ?) stretch";
  }

  /** A queue, by the name under which it is locked and by the number that no other one gets. */
  record Numbered(QueueId queue, long id) {}

  /** Those queues with a higher number of which entries ended before {@code before}. */
  List<Numbered> withEnded(long from, long before, int limit) throws SQLException {
    return rows.list(
        result ->
            new Numbered(new QueueId(result.getString(2), result.getString(3)), result.getLong(1)),
        WITH_ENDED,
        from,
        before,
        before,
        limit);
  }

  /**
   * Some entries that stand one after the other.
   *
   * @param last when the last of them joined
   * @param highestChange that touched one of them
   */
  record Stretch(int count, long last, long highestChange) {

    static final Stretch NONE = new Stretch(0, 0, 0);
  }

  /** The first entries behind a time that ended before {@code before}; nothing changes them. */
  Stretch ended(long queue, long from, long before, int limit) throws SQLException {
    return stretch(ENDED, queue, from, before, before, limit);
  }

  /** The first entries behind a time, ended or not. */
  Stretch all(long queue, long from, int limit) throws SQLException {
    return stretch(ALL, queue, from, limit);
  }

  private Stretch stretch(Sql sql, Object... values) throws SQLException {
    return rows.one(
        result -> new Stretch(result.getInt(1), result.getLong(2), result.getLong(3)), sql, values);
  }

  /** Deletes what {@link #ended} found. */
  int deleteEnded(long queue, long from, long last, long before) throws SQLException {
    return rows.update(DELETE_ENDED, queue, from, last, before);
  }

  /** Deletes what {@link #all} found. */
  int deleteAll(long queue, long from, long last) throws SQLException {
    return rows.update(DELETE_ALL, queue, from, last);
  }

  /**
   * Notes that entries are about to be deleted which a copy older than this change would need.
   *
   * @return whether there still is a queue with this number
   */
  boolean keepFrom(long id, long change) throws SQLException {
    return rows.update(KEEP_FROM, change, change, id) > 0;
  }

  /** The number of a queue that was deleted and may have left entries behind. */
  OptionalLong firstDeleted() throws SQLException {
    return rows.list(result -> result.getLong(1), FIRST_DELETED).stream()
        .mapToLong(Long::longValue)
        .findFirst();
  }

  /** Nothing is left of a queue that was deleted. */
  int forgetDeleted(long id) throws SQLException {
    return rows.update(FORGET_DELETED, id);
  }
}
