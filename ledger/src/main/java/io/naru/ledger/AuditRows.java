package io.naru.ledger;

import io.naru.audit.Act;
import io.naru.audit.AuditRow;
import io.naru.queue.Actor;
import io.naru.queue.Json;
import io.naru.queue.QueueId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What operators did. */
final class AuditRows {

  private static final String COLUMNS =
      "at, who, role, address, act, event_type, event_id, old_values, new_values";

  private static final Sql INSERT =
      Sql.of("INSERT INTO audit_rows (" + COLUMNS + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");

  private static final String SELECT = "SELECT id, " + COLUMNS + " FROM audit_rows WHERE ";

  static final Sql ALL = Sql.of(SELECT + "id < ? ORDER BY id DESC LIMIT ?");

  static final Sql OF_QUEUE =
      Sql.of(SELECT + "event_type = ? AND event_id = ? AND id < ? ORDER BY id DESC LIMIT ?");

  static final Sql OLDEST = Sql.of("SELECT id, at FROM audit_rows ORDER BY id LIMIT ?");

  private static final Sql DELETE = Sql.of("DELETE FROM audit_rows WHERE id <= ?");

  private final Rows rows;

  AuditRows(Rows rows) {
    this.rows = rows;
  }

  void insert(Act act, long now) throws SQLException {
    Actor by = act.by();
    QueueId queue = act.queue();
    rows.change(
        INSERT,
        now,
        by.who(),
        by.role(),
        by.from(),
        act.kind().word(),
        queue == null ? "" : queue.type(),
        queue == null ? "" : queue.id(),
        Json.write(act.before()),
        Json.write(act.after()));
  }

  List<AuditRow> list(@Nullable QueueId queue, long below, int limit) throws SQLException {
    return queue == null
        ? rows.list(AuditRows::row, ALL, below, limit)
        : rows.list(AuditRows::row, OF_QUEUE, queue.type(), queue.id(), below, limit);
  }

  private static AuditRow row(ResultSet result) throws SQLException {
    String type = result.getString("event_type");
    var by =
        new Actor(result.getString("who"), result.getString("role"), result.getString("address"));
    var act =
        new Act(
            by,
            Act.Kind.of(result.getString("act")),
            type.isEmpty() ? null : new QueueId(type, result.getString("event_id")),
            Json.readObject(result.getString("old_values")),
            Json.readObject(result.getString("new_values")));
    return new AuditRow(result.getLong("id"), result.getLong("at"), act);
  }

  /**
   * Deletes the oldest, some at a time.
   *
   * @return whether there may be more to delete
   */
  boolean forget(long before, int limit) throws SQLException {
    record Kept(long id, long at) {}
    List<Kept> old =
        rows.list(result -> new Kept(result.getLong(1), result.getLong(2)), OLDEST, limit).stream()
            .takeWhile(row -> row.at < before)
            .toList();
    if (!old.isEmpty()) {
      rows.update(DELETE, old.getLast().id);
    }
    return old.size() == limit;
  }
}
