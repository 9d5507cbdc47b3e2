package io.naru.ledger;

import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** The leaves of those who are drawn, in parts. */
final class LeafRows {

  private static final Sql PUT =
      dialect ->
          dialect.orReplace(
              "INSERT INTO draw_leaves (queue_id, seal_id, part, made_at, leaves)"
                  + " VALUES (?, ?, ?, ?, ?)",
              "queue_id, seal_id, part",
              "made_at",
              "leaves");

  private static final Sql SELECT =
      Sql.of("SELECT leaves FROM draw_leaves WHERE queue_id = ? AND seal_id = ? AND part = ?");

  private static final Sql DELETE =
      Sql.of("DELETE FROM draw_leaves WHERE queue_id = ? AND seal_id = ?");

  private static final Sql DELETE_PART =
      Sql.of("DELETE FROM draw_leaves WHERE queue_id = ? AND seal_id = ? AND part = ?");

  /** A part for each list that is older than some time. */
  private static final Sql OLD =
      Sql.of(
          "SELECT queue_id, seal_id FROM draw_leaves WHERE part = 0 AND made_at < ?"
              + " AND (queue_id > ? OR (queue_id = ? AND seal_id > ?))"
              + " ORDER BY queue_id, seal_id LIMIT ?");

  private static final Sql FIRST_PARTS =
      Sql.of(
          "SELECT seal_id, part FROM draw_leaves WHERE queue_id = ? ORDER BY seal_id, part LIMIT ?");

  private static final Sql DRAW = Sql.of("SELECT draw FROM waiting_queues WHERE id = ?");

  private final Rows rows;

  LeafRows(Rows rows) {
    this.rows = rows;
  }

  /** A list of those who are drawn. */
  record Kept(long queue, String sealId) {}

  private record Part(String sealId, int number) {}

  void put(long queue, String sealId, int part, long now, byte[] leaves) throws SQLException {
    rows.update(PUT, queue, sealId, part, now, leaves);
  }

  Optional<byte[]> find(long queue, String sealId, int part) throws SQLException {
    return rows.list(result -> result.getBytes(1), SELECT, queue, sealId, part).stream()
        .findFirst();
  }

  void delete(long queue, String sealId) throws SQLException {
    rows.update(DELETE, queue, sealId);
  }

  /** Some lists that are older than a moment, behind one. */
  List<Kept> old(Kept after, long before, int limit) throws SQLException {
    return rows.list(
        result -> new Kept(result.getLong(1), result.getString(2)),
        OLD,
        before,
        after.queue,
        after.queue,
        after.sealId,
        limit);
  }

  /** What is known of a draw, as it is stored; empty if the queue is gone, or has none. */
  Optional<String> draw(long queue) throws SQLException {
    return rows.list(result -> Optional.ofNullable(result.getString(1)), DRAW, queue).stream()
        .findFirst()
        .flatMap(draw -> draw);
  }

  /** Deletes some of a queue; false once there are none. */
  boolean deleteSome(long queue, int limit) throws SQLException {
    List<Part> some =
        rows.list(
            result -> new Part(result.getString(1), result.getInt(2)), FIRST_PARTS, queue, limit);
    for (Part part : some) {
      rows.update(DELETE_PART, queue, part.sealId, part.number);
    }
    return some.size() == limit;
  }
}
