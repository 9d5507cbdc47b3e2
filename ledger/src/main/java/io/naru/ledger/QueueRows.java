package io.naru.ledger;

import io.naru.admission.Allowance;
import io.naru.decision.Bands;
import io.naru.decision.Draw;
import io.naru.decision.Openness;
import io.naru.decision.Presence;
import io.naru.decision.Restoring;
import io.naru.queue.QueueId;
import io.naru.queue.Settings;
import io.naru.queue.State;
import io.naru.queue.Stocked;
import io.naru.rate.RateText;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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

  private static final String ONE = "event_type = ? AND event_id = ?";

  static final String COLUMNS =
      "settings, rate, "
          + String.join(", ", FIGURES)
          + ", stock, presence, draw, restoring, told_open, told_until";

  private static final String SELECT = select("") + ONE;

  private static final String SELECT_TO_LOCK = select(", " + Tables.RANK + " AS tables_rank") + ONE;

  private static final String INSERT =
      "INSERT INTO waiting_queues (event_type, event_id, "
          + COLUMNS
          + ") VALUES (?, ?, ?, ''"
          + ", ?".repeat(FIGURES.size())
          + ", NULL, NULL, NULL, NULL, ?, ?)";

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

  private static final Sql UPDATE_OPENNESS =
      Sql.of("UPDATE waiting_queues SET told_open = ?, told_until = ? WHERE id = ?");

  private static final Sql DELETE = Sql.of("DELETE FROM waiting_queues WHERE id = ?");

  private static final Sql INSERT_DELETED = Sql.of("INSERT INTO deleted_queues (id) VALUES (?)");

  /** Not all databases compare pairs with a list of them: some queues more than are asked for. */
  private static Sql numbers(int count) {
    return Sql.of("SELECT id, event_type, event_id FROM waiting_queues WHERE " + some(count));
  }

  private static String some(int count) {
    return "event_type IN " + Rows.marks(count) + " AND event_id IN " + Rows.marks(count);
  }

  private static String select(String more) {
    return "SELECT id, event_type, event_id, " + COLUMNS + more + " FROM waiting_queues WHERE ";
  }

  private final Rows rows;

  QueueRows(Rows rows) {
    this.rows = rows;
  }

  Optional<QueueRow> find(QueueId queue) throws SQLException {
    return rows.list(QueueRows::row, Sql.of(SELECT), queue.type(), queue.id()).stream().findFirst();
  }

  /** Those of these queues that there are. */
  Map<QueueId, QueueRow> find(Collection<QueueId> queues) throws SQLException {
    return those(queues, count -> Sql.of(select("") + some(count)), QueueRows::row);
  }

  /** The numbers of those of these queues that there are. */
  Map<QueueId, Long> numbers(Collection<QueueId> queues) throws SQLException {
    return those(queues, QueueRows::numbers, result -> result.getLong(1));
  }

  private <T> Map<QueueId, T> those(
      Collection<QueueId> queues, IntFunction<Sql> select, Rows.Made<T> made) throws SQLException {
    Set<QueueId> asked = Set.copyOf(queues);
    Map<QueueId, T> found = new HashMap<>();
    for (List<QueueId> part : rows.parts(asked)) {
      Object[] names =
          Stream.concat(part.stream().map(QueueId::type), part.stream().<Object>map(QueueId::id))
              .toArray();
      rows.list(
              result ->
                  Map.entry(new QueueId(result.getString(2), result.getString(3)), made.of(result)),
              select.apply(part.size()),
              names)
          .forEach(each -> found.put(each.getKey(), each.getValue()));
    }
    found.keySet().retainAll(asked);
    return found;
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
    row.openness = new Openness(result.getBoolean("told_open"), result.getLong("told_until"));
    row.storedOpenness = row.openness;
    return row;
  }

  /** Makes an empty row for a queue; another server may just have done so, which is as good. */
  void insert(QueueId queue) throws SQLException {
    var row = new QueueRow(0, queue);
    List<Object> values = new ArrayList<>(List.of(queue.type(), queue.id(), row.settings.text()));
    values.addAll(figures(row));
    values.add(row.openness.isOpen());
    values.add(row.openness.until());
    rows.update(dialect -> dialect.ifAbsent(INSERT), values.toArray());
  }

  void update(QueueRow row) throws SQLException {
    List<Object> figures = figures(row);
    figures.add(row.id);
    rows.change(UPDATE, figures.toArray());
    // They may be long, and are seldom changed.
    if (!row.settings.equals(row.storedSettings)) {
      rows.change(UPDATE_SETTINGS, row.settings.text(), row.id);
      row.storedSettings = row.settings;
    }
    if (!Objects.equals(row.rate, row.storedRate)) {
      rows.change(UPDATE_RATE, RateText.write(row.rate), row.id);
      row.storedRate = row.rate;
    }
    if (!Objects.equals(row.stock, row.storedStock)) {
      rows.change(UPDATE_STOCK, row.stock == null ? null : row.stock.text(), row.id);
      row.storedStock = row.stock;
    }
    String presence = row.presence == null ? null : row.presence.text();
    if (!Objects.equals(presence, row.storedPresence)) {
      rows.change(UPDATE_PRESENCE, presence, row.id);
      row.storedPresence = presence;
    }
    String draw = row.draw == null ? null : row.draw.text();
    if (!Objects.equals(draw, row.storedDraw)) {
      rows.change(UPDATE_DRAW, draw, row.id);
      row.storedDraw = draw;
    }
    if (!Objects.equals(row.restoring, row.storedRestoring)) {
      rows.change(UPDATE_RESTORING, row.restoring == null ? null : row.restoring.text(), row.id);
      row.storedRestoring = row.restoring;
    }
    if (!row.openness.equals(row.storedOpenness)) {
      rows.change(UPDATE_OPENNESS, row.openness.isOpen(), row.openness.until(), row.id);
      row.storedOpenness = row.openness;
    }
  }

  private static List<Object> figures(QueueRow row) {
    List<Object> figures = new ArrayList<>(FIGURES.size() + 1);
    figures.add(row.state.entryOpen());
    figures.add(row.state.admissionPaused());
    figures.add(row.state.reason());
    figures.add(row.bands.text());
    long[] numbers = {
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
      row.allowance.whole(row.settings.pacing()),
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
    for (long number : numbers) {
      figures.add(number);
    }
    return figures;
  }

  /** Forgets a queue at once; its entries are deleted later, bit by bit. */
  void delete(QueueRow row) throws SQLException {
    rows.update(DELETE, row.id);
    rows.update(INSERT_DELETED, row.id);
  }
}
