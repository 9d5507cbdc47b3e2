package io.naru.ledger;

import static io.naru.queue.Micros.PER_SECOND;

import io.naru.journal.Feed;
import io.naru.journal.Feed.Stretch;
import io.naru.journal.Happened;
import io.naru.journal.Unread;
import io.naru.queue.QueueId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.OptionalLong;

/** What happens, for systems behind: events that not all have read, who reads, and up to where. */
final class EventRows {

  private static final Sql INSERT =
      Sql.of(
          """
          INSERT INTO queue_events (queue_id, change_no, event_type, event_id, at, events)
          VALUES (?, ?, ?, ?, ?, ?)""");

  /** From one queue that has events to the next along its key, as {@link LogRows#BEHIND}. */
  private static final String QUEUES =
      """
      WITH RECURSIVE told (id) AS (
        SELECT min(queue_id) FROM queue_events
        UNION ALL
        SELECT (SELECT min(e.queue_id) FROM queue_events e WHERE e.queue_id > told.id)
        FROM told WHERE told.id IS NOT NULL
      )
      """;

  private static final String HEAD =
      "(SELECT max(e.change_no) FROM queue_events e WHERE e.queue_id = t.id)";

  static final Sql UNREAD =
      Sql.of(
          QUEUES
              + """
              SELECT t.id,
                (SELECT e.event_type FROM queue_events e WHERE e.queue_id = t.id
                  ORDER BY e.change_no LIMIT 1),
                (SELECT e.event_id FROM queue_events e WHERE e.queue_id = t.id
                  ORDER BY e.change_no LIMIT 1),
                coalesce(c.change_no, 0),\s"""
              + HEAD
              + """
              ,
                (SELECT e.at FROM queue_events e
                  WHERE e.queue_id = t.id AND e.change_no > coalesce(c.change_no, 0)
                  ORDER BY e.change_no LIMIT 1)
              FROM told t
              JOIN event_readers r ON r.name = ?
              LEFT JOIN event_cursors c ON c.queue_id = t.id AND c.reader = r.name
              WHERE\s"""
              + HEAD
              + " > coalesce(c.change_no, 0) LIMIT ?");

  /** One statement, so that both are of the same moment. */
  static final Sql AFTER =
      Sql.of(
          """
          SELECT change_no, at, events,
            (SELECT c.gone_to FROM event_cursors c WHERE c.queue_id = ? AND c.reader = ?)
          FROM queue_events
          WHERE queue_id = ? AND change_no > ? ORDER BY change_no LIMIT ?""");

  /** A new one reads from here on. */
  private static final Sql BEGIN_AT_HEADS =
      dialect ->
          dialect.ifAbsent(
              "INSERT INTO event_cursors (reader, queue_id, change_no, gone_to) "
                  + QUEUES
                  + "SELECT ?, t.id, "
                  + HEAD
                  + ", 0 FROM told t WHERE t.id IS NOT NULL");

  private static final Sql LISTEN =
      dialect -> dialect.ifAbsent("INSERT INTO event_readers (name, heard_at) VALUES (?, ?)");

  private static final Sql HEARD =
      Sql.of("UPDATE event_readers SET heard_at = ? WHERE name = ? AND heard_at < ?");

  private static final Sql END = Sql.of("DELETE FROM event_readers WHERE name = ?");

  private static final Sql FORGET_CURSORS = Sql.of("DELETE FROM event_cursors WHERE reader = ?");

  private static final Sql READERS = Sql.of("SELECT name FROM event_readers");

  private static final Sql SILENT = Sql.of("SELECT name FROM event_readers WHERE heard_at < ?");

  private static final Sql HOLD =
      Sql.of(
          """
          UPDATE event_holders SET holder = ?, held_until = ?
          WHERE name = ? AND (holder = ? OR held_until <= ? OR held_until > ?)""");

  private static final Sql HOLD_FIRST =
      dialect ->
          dialect.ifAbsent("INSERT INTO event_holders (name, holder, held_until) VALUES (?, ?, ?)");

  private static final Sql LET_GO =
      Sql.of("UPDATE event_holders SET held_until = 0 WHERE name = ? AND holder = ?");

  private static final Sql BEGIN =
      dialect ->
          dialect.ifAbsent(
              """
              INSERT INTO event_cursors (reader, queue_id, change_no, gone_to)
              SELECT name, ?, 0, 0 FROM event_readers WHERE name <> ''""");

  private static final Sql ADVANCE =
      Sql.of(
          """
          UPDATE event_cursors SET change_no = ?
          WHERE queue_id = ? AND reader = ? AND change_no = ?""");

  private static final Sql SLOWEST =
      Sql.of(
          """
          SELECT min(coalesce(c.change_no, 0)), count(*) FROM event_readers r
          LEFT JOIN event_cursors c ON c.queue_id = ? AND c.reader = r.name""");

  private static final Sql LOSE =
      Sql.of(
          """
          UPDATE event_cursors SET gone_to = ?
          WHERE queue_id = ? AND change_no < ? AND gone_to < ?""");

  private static final Sql FORGET =
      Sql.of("DELETE FROM queue_events WHERE queue_id = ? AND change_no <= ?");

  private static final Sql NEXT_QUEUE =
      Sql.of("SELECT min(queue_id) FROM queue_events WHERE queue_id > ?");

  private static final Sql LAST_CHANGE =
      Sql.of("SELECT max(change_no) FROM queue_events WHERE queue_id = ?");

  private static final Sql LAST_OF_FIRST =
      Sql.of(
          """
          SELECT max(change_no) FROM (
            SELECT change_no, at FROM queue_events WHERE queue_id = ? ORDER BY change_no LIMIT ?
          ) first WHERE change_no <= ? OR at < ?""");

  /** Of queues that are no more, once everything of them was read. */
  private static final Sql FORGET_DELETED =
      Sql.of(
          """
          DELETE FROM event_cursors
          WHERE NOT EXISTS (SELECT 1 FROM waiting_queues q WHERE q.id = event_cursors.queue_id)
            AND NOT EXISTS (SELECT 1 FROM queue_events e WHERE e.queue_id = event_cursors.queue_id)""");

  private final Rows rows;

  EventRows(Rows rows) {
    this.rows = rows;
  }

  void insert(QueueRow queue, long change, long at, String events) throws SQLException {
    rows.change(INSERT, queue.id, change, queue.queue.type(), queue.queue.id(), at, events);
  }

  List<Unread> unread(String reader, String ledger, LogRows.Now clock, int limit)
      throws SQLException {
    List<Unread> found = rows.list(result -> row(result, ledger, 0), UNREAD, reader, limit);
    if (found.isEmpty()) {
      return found;
    }
    long now = clock.get();
    return found.stream()
        .map(
            u ->
                new Unread(
                    u.id(), u.queue(), u.original(), u.cursor(), u.head(), u.oldestAt(), now))
        .toList();
  }

  private static Unread row(ResultSet result, String ledger, long now) throws SQLException {
    long id = result.getLong(1);
    var queue = new QueueId(result.getString(2), result.getString(3));
    return new Unread(
        id,
        queue,
        QueueLists.original(queue, ledger, id).ledger(),
        result.getLong(4),
        result.getLong(5),
        result.getLong(6),
        now);
  }

  /** The last change always stays, so where there is none nothing is gone either. */
  Stretch after(String reader, long queue, long change, int limit) throws SQLException {
    long[] goneTo = new long[1];
    List<Happened> changes =
        rows.list(
            result -> {
              goneTo[0] = result.getLong(4);
              return new Happened(result.getLong(1), result.getLong(2), result.getString(3));
            },
            AFTER,
            queue,
            reader,
            queue,
            change,
            limit);
    return new Stretch(goneTo[0], changes);
  }

  /** In a transaction. */
  void listen(String reader, long now) throws SQLException {
    if (rows.update(LISTEN, reader, now) == 1) {
      rows.update(BEGIN_AT_HEADS, reader);
    } else {
      rows.update(HEARD, now, reader, now);
    }
  }

  /** In a transaction. */
  void end(String reader) throws SQLException {
    rows.update(END, reader);
    rows.update(FORGET_CURSORS, reader);
  }

  List<String> readers() throws SQLException {
    return rows.list(result -> result.getString(1), READERS);
  }

  /** Those of whom nothing was heard since. */
  List<String> silent(long since) throws SQLException {
    return rows.list(result -> result.getString(1), SILENT, since);
  }

  /** Whether it holds that from now on, or still does. */
  boolean hold(String work, String server, long now, long micros) throws SQLException {
    long longest = now + Feed.LONGEST_HOLD.toSeconds() * PER_SECOND;
    return rows.update(HOLD, server, now + micros, work, server, now, longest) == 1
        || rows.update(HOLD_FIRST, work, server, now + micros) == 1;
  }

  void letGo(String work, String server) throws SQLException {
    rows.update(LET_GO, work, server);
  }

  /**
   * In a transaction, whose first step writes.
   *
   * @return false if the cursor is another one by now: nothing was done then
   */
  boolean advance(String reader, Unread from, long to) throws SQLException {
    if (from.cursor() == 0) {
      rows.update(BEGIN, from.id());
    }
    if (rows.update(ADVANCE, to, from.id(), reader, from.cursor()) != 1) {
      return false;
    }
    rows.update(FORGET, from.id(), slowest(from.id()));
    return true;
  }

  /** Up to which change all have read a queue; if nobody reads, everything is read. */
  long slowest(long queue) throws SQLException {
    return rows.one(
        result -> result.getLong(2) == 0 ? Long.MAX_VALUE : result.getLong(1), SLOWEST, queue);
  }

  /** The next queue that has events. */
  OptionalLong queueAfter(long queue) throws SQLException {
    long next = rows.one(result -> result.getLong(1), NEXT_QUEUE, queue);
    return next > queue ? OptionalLong.of(next) : OptionalLong.empty();
  }

  /**
   * Forgets the first events of a queue, of changes up to one, or older than a moment: some at a
   * time, in a transaction. Whoever has not read them has a gap. The last change always stays, so
   * that the gap is found.
   *
   * @return whether there may be more
   */
  boolean lose(long queue, long changes, long before, int limit) throws SQLException {
    rows.update(BEGIN, queue);
    long last = rows.one(result -> result.getLong(1), LAST_CHANGE, queue);
    long some =
        rows.one(result -> result.getLong(1), LAST_OF_FIRST, queue, limit, last - changes, before);
    long upTo = Math.min(some, last - 1);
    if (upTo <= 0) {
      return false;
    }
    rows.update(LOSE, upTo, queue, upTo, upTo);
    return rows.update(FORGET, queue, upTo) >= limit;
  }

  /** Forgets the first events of a queue that all have read, some at a time. */
  boolean forgetRead(long queue, int limit) throws SQLException {
    long read = slowest(queue);
    long some =
        rows.one(result -> result.getLong(1), LAST_OF_FIRST, queue, limit, read, Long.MIN_VALUE);
    return some > 0 && rows.update(FORGET, queue, some) >= limit;
  }

  int forgetDeleted() throws SQLException {
    return rows.update(FORGET_DELETED);
  }
}
