package io.naru.ledger;

import io.naru.journal.Addition;
import io.naru.journal.Behind;
import io.naru.journal.Bundle;
import io.naru.journal.HashTile;
import io.naru.journal.Log;
import io.naru.queue.QueueId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The public logs of queues: how far each is, its hashes and its records. */
final class LogRows {

  private static final String LOG =
      """
      q.id, q.event_type, q.event_id, l.origin, l.log_size, l.cursor_no, l.holder, l.held_until,
        l.checkpoint, l.signed_at""";

  /**
   * From one queue that has a journal to the next along its key: whatever else there is of queues
   * and of rows, it takes a step for each that has something to append.
   */
  static final Sql BEHIND =
      Sql.of(
          """
          WITH RECURSIVE ahead (id) AS (
            SELECT min(queue_id) FROM queue_journal
            UNION ALL
            SELECT (SELECT min(j.queue_id) FROM queue_journal j WHERE j.queue_id > ahead.id)
            FROM ahead WHERE ahead.id IS NOT NULL
          )
          SELECT\s"""
              + LOG
              + """
          ,
            (SELECT max(j.change_no) FROM queue_journal j WHERE j.queue_id = a.id) AS head,
            (SELECT j.at FROM queue_journal j WHERE j.queue_id = a.id
              ORDER BY j.change_no LIMIT 1) AS oldest_at
          FROM ahead a
          JOIN waiting_queues q ON q.id = a.id
          LEFT JOIN queue_logs l ON l.queue_id = a.id
          LIMIT ?""");

  static final Sql FIND =
      Sql.of(
          "SELECT "
              + LOG
              + """
           FROM waiting_queues q JOIN queue_logs l ON l.queue_id = q.id
          WHERE q.event_type = ? AND q.event_id = ?""");

  /** Only of a queue that is still there. */
  private static final Sql BEGIN =
      dialect ->
          dialect.ifAbsent(
              """
              INSERT INTO queue_logs (queue_id, origin, log_size, cursor_no, holder, held_until,
                checkpoint, signed_at)
              SELECT id, '', 0, 0, '', 0, '', 0 FROM waiting_queues WHERE id = ?""");

  /** Held as {@link Log#isHeldBefore} says. */
  private static final Sql ADVANCE =
      Sql.of(
          """
          UPDATE queue_logs SET log_size = ?, cursor_no = ?, origin = ?, holder = ?, held_until = ?
          WHERE queue_id = ? AND log_size = ? AND cursor_no = ?
            AND (holder = ? OR held_until <= ? OR held_until > ?)""");

  private static final Sql SIGN =
      Sql.of("UPDATE queue_logs SET checkpoint = ?, signed_at = ? WHERE queue_id = ?");

  private static final Sql PUT_TILE =
      dialect ->
          dialect.orReplace(
              "INSERT INTO log_tiles (queue_id, tile_level, tile_no, hashes) VALUES (?, ?, ?, ?)",
              "queue_id, tile_level, tile_no",
              "hashes");

  private static final Sql PUT_BUNDLE =
      dialect ->
          dialect.orReplace(
              "INSERT INTO log_entries (queue_id, bundle_no, records, last_joined, content)"
                  + " VALUES (?, ?, ?, ?, ?)",
              "queue_id, bundle_no",
              "records",
              "last_joined",
              "content");

  static final Sql TILE =
      Sql.of(
          """
          SELECT tile_level, tile_no, hashes FROM log_tiles
          WHERE queue_id = ? AND tile_level = ? AND tile_no = ?""");

  private static final String BUNDLES =
      "SELECT bundle_no, records, last_joined, content FROM log_entries WHERE queue_id = ? AND ";

  static final Sql BUNDLE = Sql.of(BUNDLES + "bundle_no = ?");

  static final Sql BUNDLE_OF =
      Sql.of(BUNDLES + "last_joined >= ? ORDER BY queue_id, last_joined, bundle_no LIMIT 1");

  private static final Sql END = Sql.of("DELETE FROM queue_logs WHERE queue_id = ?");

  private static final Sql LAST_BUNDLE =
      Sql.of("SELECT max(bundle_no) FROM log_entries WHERE queue_id = ?");

  private static final Sql FORGET_BUNDLES =
      Sql.of("DELETE FROM log_entries WHERE queue_id = ? AND bundle_no > ?");

  private static final Sql LAST_TILE =
      Sql.of("SELECT max(tile_no) FROM log_tiles WHERE queue_id = ? AND tile_level = ?");

  private static final Sql FORGET_TILES =
      Sql.of("DELETE FROM log_tiles WHERE queue_id = ? AND tile_level = ? AND tile_no > ?");

  /** Eight levels of 256 each are more than there are microseconds. */
  private static final int LEVELS = 8;

  private final Rows rows;

  LogRows(Rows rows) {
    this.rows = rows;
  }

  /**
   * @param now asked for only if there are any
   */
  List<Behind> behind(String ledger, Now now, int limit) throws SQLException {
    List<Behind> found =
        rows.list(
            result ->
                new Behind(
                    row(result, ledger), result.getLong("head"), result.getLong("oldest_at"), 0),
            BEHIND,
            limit);
    long at = found.isEmpty() ? 0 : now.get();
    return found.stream().map(b -> new Behind(b.log(), b.head(), b.oldestAt(), at)).toList();
  }

  /** A clock that has to be asked. */
  interface Now {
    long get() throws SQLException;
  }

  Optional<Log> find(QueueId queue, String ledger) throws SQLException {
    return rows.list(result -> row(result, ledger), FIND, queue.type(), queue.id()).stream()
        .findFirst();
  }

  private static Log row(ResultSet result, String ledger) throws SQLException {
    long id = result.getLong(1);
    var queue = new QueueId(result.getString(2), result.getString(3));
    String original = QueueLists.original(queue, ledger, id).ledger();
    String origin = result.getString(4);
    return origin == null
        ? Log.empty(id, queue, original)
        : new Log(
            id,
            queue,
            original,
            origin,
            result.getLong(5),
            result.getLong(6),
            result.getString(7),
            result.getLong(8),
            result.getString(9),
            result.getLong(10));
  }

  /**
   * Appends in a transaction, whose first step writes: a database with one lock for all would not
   * let who has read before.
   */
  boolean append(Log from, Addition addition, Now clock) throws SQLException {
    if (from.size() == 0) {
      rows.update(BEGIN, from.id());
    }
    long now = clock.get();
    int advanced =
        rows.update(
            ADVANCE,
            addition.to(),
            addition.cursor(),
            addition.origin(),
            addition.holder(),
            now + addition.holdMicros(),
            from.id(),
            from.size(),
            from.cursor(),
            addition.holder(),
            now,
            now + Log.LONGEST_HOLD);
    if (advanced != 1) {
      return false;
    }
    if (addition.checkpoint() != null) {
      rows.update(SIGN, addition.checkpoint(), addition.signedAt(), from.id());
    }
    putTiles(from.id(), addition.tiles());
    putBundles(from.id(), addition.bundles());
    rows.journal().forget(from.id(), addition.cursor());
    return true;
  }

  private void putTiles(long log, List<HashTile> tiles) throws SQLException {
    rows.updateAll(
        PUT_TILE,
        tiles,
        (put, tile) -> {
          put.setLong(1, log);
          put.setLong(2, tile.level());
          put.setLong(3, tile.number());
          put.setBytes(4, tile.hashes());
        });
  }

  private void putBundles(long log, List<Bundle> bundles) throws SQLException {
    rows.updateAll(
        PUT_BUNDLE,
        bundles,
        (put, bundle) -> {
          put.setLong(1, log);
          put.setLong(2, bundle.number());
          put.setLong(3, bundle.count());
          put.setLong(4, bundle.lastJoined());
          put.setBytes(5, bundle.content());
        });
  }

  Optional<HashTile> tile(long log, int level, long number) throws SQLException {
    return rows
        .list(
            result -> new HashTile(result.getInt(1), result.getLong(2), result.getBytes(3)),
            TILE,
            log,
            level,
            number)
        .stream()
        .findFirst();
  }

  Optional<Bundle> bundle(long log, long number) throws SQLException {
    return rows.list(LogRows::bundle, BUNDLE, log, number).stream().findFirst();
  }

  Optional<Bundle> bundleOf(long log, long joined) throws SQLException {
    return rows.list(LogRows::bundle, BUNDLE_OF, log, joined).stream().findFirst();
  }

  private static Bundle bundle(ResultSet result) throws SQLException {
    return new Bundle(result.getLong(1), result.getInt(2), result.getLong(3), result.getBytes(4));
  }

  /** Nothing is appended any more. */
  void end(long queue) throws SQLException {
    rows.update(END, queue);
  }

  /** Forgets the last of a queue that is no more, some at a time; says whether there is more. */
  boolean forgetSome(long queue, int limit) throws SQLException {
    int gone = forgetLast(LAST_BUNDLE, FORGET_BUNDLES, limit, queue);
    for (int level = 0; level < LEVELS && gone == 0; level++) {
      gone = forgetLast(LAST_TILE, FORGET_TILES, limit, queue, level);
    }
    return gone > 0;
  }

  private int forgetLast(Sql last, Sql forget, int limit, Object... of) throws SQLException {
    Long number =
        rows.one(
            result -> {
              long value = result.getLong(1);
              return result.wasNull() ? -1L : value;
            },
            last,
            of);
    if (number < 0) {
      return 0;
    }
    Object[] values = Arrays.copyOf(of, of.length + 1);
    values[of.length] = number - limit;
    return rows.update(forget, values);
  }
}
