package io.naru.ledger;

import io.naru.admission.Allowance;
import io.naru.decision.Bands;
import io.naru.decision.Draw;
import io.naru.decision.Presence;
import io.naru.decision.Restoring;
import io.naru.queue.QueueId;
import io.naru.queue.Settings;
import io.naru.queue.State;
import io.naru.queue.Stocked;
import io.naru.rate.RateText;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Queues, one at a time. */
final class QueueRows {

  private static final List<String> FIGURES =
      List.of(
          "entry_open",
          "admission_paused",
          "paused_reason",
          "lanes",
          "queue_ended_at",
          "version",
          "created_at",
          "activated_at",
          "deactivated_at",
          "change_no",
          "last_joined",
          "front_score",
          "waiting",
          "inside",
          "absent",
          "tokens",
          "tokens_rest",
          "refilled_at",
          "last_entered_at",
          "joined_total",
          "entered_total",
          "completed_total",
          "left_total",
          "expired_total",
          "kept_from",
          "changed_minute",
          "room_from",
          "last_ticket");

  static final String COLUMNS =
      "settings, rate, " + String.join(", ", FIGURES) + ", stock, presence, draw, restoring";

  private static final String SELECT = select("");

  private static final String SELECT_TO_LOCK = select(", " + Tables.RANK + " AS tables_rank");

  private static final String INSERT =
      "INSERT INTO waiting_queues (event_type, event_id, "
          + COLUMNS
          + ") VALUES (?, ?, ?, ''"
          + ", ?".repeat(FIGURES.size())
          + ", NULL, NULL, NULL, NULL)";

  private static final Sql UPDATE =
      Sql.of(
          "UPDATE waiting_queues SET "
              + FIGURES.stream().map(column -> column + " = ?").collect(Collectors.joining(", "))
              + " WHERE id = ?");

  private static final Sql UPDATE_SETTINGS =
      Sql.of("UPDATE waiting_queues SET settings = ? WHERE id = ?");

  private static final Sql UPDATE_RATE = Sql.of("UPDATE waiting_queues SET rate = ? WHERE id = ?");

  private static final Sql UPDATE_STOCK =
      Sql.of("UPDATE waiting_queues SET stock = ? WHERE id = ?");

  private static final Sql UPDATE_PRESENCE =
      Sql.of("UPDATE waiting_queues SET presence = ? WHERE id = ?");

  private static final Sql UPDATE_DRAW = Sql.of("UPDATE waiting_queues SET draw = ? WHERE id = ?");

  private static final Sql UPDATE_RESTORING =
      Sql.of("UPDATE waiting_queues SET restoring = ? WHERE id = ?");

  private static final Sql DELETE = Sql.of("DELETE FROM waiting_queues WHERE id = ?");

  private static final Sql INSERT_DELETED = Sql.of("INSERT INTO deleted_queues (id) VALUES (?)");

  private static String select(String more) {
    return "SELECT id, event_type, event_id, "
        + COLUMNS
        + more
        + " FROM waiting_queues WHERE event_type = ? AND event_id = ?";
  }

  private final Rows rows;

  QueueRows(Rows rows) {
    this.rows = rows;
  }

  Optional<QueueRow> find(QueueId queue) throws SQLException {
    return rows.list(QueueRows::row, Sql.of(SELECT), queue.type(), queue.id()).stream().findFirst();
  }

  /** Reads a queue and keeps everybody else from changing it until the transaction ends. */
  Optional<QueueRow> lock(QueueId queue) throws SQLException {
    String locking = rows.dialect().locking(SELECT_TO_LOCK);
    boolean hasTime = !locking.equals(SELECT_TO_LOCK);
    Rows.Made<QueueRow> made =
        result -> {
          QueueRow row = row(result);
          row.lockedAt = hasTime ? result.getLong("now") : 0;
          row.tablesRank = result.getLong("tables_rank");
          return row;
        };
    return rows.list(made, Sql.of(locking), queue.type(), queue.id()).stream().findFirst();
  }

  static QueueRow row(ResultSet result) throws SQLException {
    var queue = new QueueId(result.getString("event_type"), result.getString("event_id"));
    var row = new QueueRow(result.getLong("id"), queue);
    row.settings = Settings.ofText(result.getString("settings"));
    row.storedSettings = row.settings;
    row.rate = RateText.read(result.getString("rate"));
    row.storedRate = row.rate;
    row.state =
        new State(
            result.getBoolean("entry_open"),
            result.getBoolean("admission_paused"),
            result.getString("paused_reason"),
            result.getLong("queue_ended_at"));
    row.version = result.getLong("version");
    row.createdAt = result.getLong("created_at");
    row.activatedAt = result.getLong("activated_at");
    row.deactivatedAt = result.getLong("deactivated_at");
    row.change = result.getLong("change_no");
    row.lastJoined = result.getLong("last_joined");
    row.frontScore = result.getLong("front_score");
    row.bands = Bands.ofText(result.getString("lanes"), result.getLong("last_ticket"));
    row.waiting = result.getLong("waiting");
    row.inside = result.getLong("inside");
    row.allowance =
        Allowance.of(
            result.getLong("tokens"),
            result.getLong("tokens_rest"),
            result.getLong("refilled_at"),
            row.settings.pacing());
    row.lastEnteredAt = result.getLong("last_entered_at");
    row.joined = result.getLong("joined_total");
    row.entered = result.getLong("entered_total");
    row.completed = result.getLong("completed_total");
    row.left = result.getLong("left_total");
    row.expired = result.getLong("expired_total");
    row.keptFrom = result.getLong("kept_from");
    row.changedMinute = result.getLong("changed_minute");
    String stock = result.getString("stock");
    row.stock = stock == null ? null : Stocked.ofText(stock);
    row.storedStock = row.stock;
    row.storedPresence = result.getString("presence");
    row.presence = Presence.ofText(row.storedPresence);
    row.storedDraw = result.getString("draw");
    row.draw = Draw.ofText(row.storedDraw);
    row.restoring = Restoring.ofText(result.getString("restoring"));
    row.storedRestoring = row.restoring;
    return row;
  }

  /** Makes an empty row for a queue; another server may just have done so, which is as good. */
  void insert(QueueId queue) throws SQLException {
    var row = new QueueRow(0, queue);
    String settings = row.settings.text();
    rows.run(
        dialect -> dialect.ifAbsent(INSERT),
        insert -> {
          set(insert, 4, row);
          return insert.executeUpdate();
        },
        queue.type(),
        queue.id(),
        settings);
  }

  void update(QueueRow row) throws SQLException {
    rows.run(
        UPDATE,
        update -> {
          int last = set(update, 1, row);
          update.setLong(last, row.id);
          return update.executeUpdate();
        });
    // They may be long, and are seldom changed.
    if (!row.settings.equals(row.storedSettings)) {
      rows.update(UPDATE_SETTINGS, row.settings.text(), row.id);
      row.storedSettings = row.settings;
    }
    if (!Objects.equals(row.rate, row.storedRate)) {
      rows.update(UPDATE_RATE, RateText.write(row.rate), row.id);
      row.storedRate = row.rate;
    }
    if (!Objects.equals(row.stock, row.storedStock)) {
      updateText(UPDATE_STOCK, row.stock == null ? null : row.stock.text(), row);
      row.storedStock = row.stock;
    }
    String presence = row.presence == null ? null : row.presence.text();
    if (!Objects.equals(presence, row.storedPresence)) {
      updateText(UPDATE_PRESENCE, presence, row);
      row.storedPresence = presence;
    }
    String draw = row.draw == null ? null : row.draw.text();
    if (!Objects.equals(draw, row.storedDraw)) {
      updateText(UPDATE_DRAW, draw, row);
      row.storedDraw = draw;
    }
    if (!Objects.equals(row.restoring, row.storedRestoring)) {
      updateText(UPDATE_RESTORING, row.restoring == null ? null : row.restoring.text(), row);
      row.storedRestoring = row.restoring;
    }
  }

  private void updateText(Sql sql, @Nullable String text, QueueRow row) throws SQLException {
    rows.run(
        sql,
        update -> {
          update.setString(1, text);
          update.setLong(2, row.id);
          return update.executeUpdate();
        });
  }

  private static int set(PreparedStatement statement, int first, QueueRow row) throws SQLException {
    int i = first;
    statement.setBoolean(i++, row.state.entryOpen());
    statement.setBoolean(i++, row.state.admissionPaused());
    statement.setString(i++, row.state.reason());
    statement.setString(i++, row.bands.text());
    long[] figures = {
      row.state.endedAt(),
      row.version,
      row.createdAt,
      row.activatedAt,
      row.deactivatedAt,
      row.change,
      row.lastJoined,
      row.frontScore,
      row.waiting,
      row.inside,
      row.absent(),
      row.allowance.tokens(row.settings.pacing()),
      row.allowance.rest(row.settings.pacing()),
      row.allowance.refilledAt(),
      row.lastEnteredAt,
      row.joined,
      row.entered,
      row.completed,
      row.left,
      row.expired,
      row.keptFrom,
      row.changedMinute,
      row.roomFrom(),
      row.bands.tickets()
    };
    for (long figure : figures) {
      statement.setLong(i++, figure);
    }
    return i;
  }

  /** Forgets a queue at once; its entries are deleted later, bit by bit. */
  void delete(QueueRow row) throws SQLException {
    rows.update(DELETE, row.id);
    rows.update(INSERT_DELETED, row.id);
  }
}
