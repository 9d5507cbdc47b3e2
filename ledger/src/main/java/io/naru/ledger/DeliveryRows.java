package io.naru.ledger;

import io.naru.queue.QueueId;
import io.naru.webhook.Delivery;
import io.naru.webhook.Delivery.State;
import io.naru.webhook.Message;
import io.naru.webhook.Tried;
import io.naru.webhook.Webhook;
import io.naru.webhook.Webhooks;
import io.naru.webhook.Webhooks.Backlog;
import io.naru.webhook.Webhooks.Kept;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** What is on its way to webhooks, and what became of it. */
final class DeliveryRows {

  private static final String COLUMNS =
      "webhook_id, message_id, kind, event_type, event_id, body, state, created_at, begun_at, tries,"
          + " due_at, tried_at, status, error";

  private static final Sql INSERT =
      dialect ->
          dialect.ifAbsent(
              "INSERT INTO webhook_deliveries ("
                  + COLUMNS
                  + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, 0, 0, ?)");

  private static final String SELECT =
      "SELECT id, " + COLUMNS + " FROM webhook_deliveries WHERE webhook_id = ? AND ";

  private static final Sql COUNT_PENDING =
      Sql.of(
          """
          SELECT count(*) FROM (
            SELECT id FROM webhook_deliveries WHERE webhook_id = ? AND state = 'PENDING' LIMIT ?
          ) pending""");

  static final Sql NEXT =
      Sql.of(SELECT + "state = 'PENDING' AND due_at <= ? ORDER BY webhook_id, due_at, id LIMIT 1");

  private static final Sql SETTLE =
      Sql.of(
          """
          UPDATE webhook_deliveries
          SET state = ?, tries = tries + 1, due_at = ?, tried_at = ?, status = ?, error = ?
          WHERE webhook_id = ? AND message_id = ? AND state = 'PENDING'""");

  static final Sql ALL = Sql.of(SELECT + "id < ? ORDER BY webhook_id, id DESC LIMIT ?");

  static final Sql OF_STATE =
      Sql.of(SELECT + "state = ? AND id < ? ORDER BY webhook_id, state, id DESC LIMIT ?");

  private static final Sql FIND = Sql.of(SELECT + "message_id = ?");

  private static final String REPLAY =
      "UPDATE webhook_deliveries SET state = 'PENDING', begun_at = ?, tries = 0, due_at = ?"
          + " WHERE webhook_id = ? AND ";

  private static final Sql REPLAY_ONE = Sql.of(REPLAY + "message_id = ?");

  private static final Sql REPLAY_FAILED =
      Sql.of(REPLAY + "state = 'FAILED' AND created_at >= ? AND id >= ?");

  /** From which one on there are only so many. */
  private static final Sql CUT =
      Sql.of(
          """
          SELECT id FROM webhook_deliveries WHERE webhook_id = ? AND state = ?
          ORDER BY webhook_id, state, id DESC LIMIT 1 OFFSET ?""");

  private static final Sql FAIL_ALL =
      Sql.of(
          """
          UPDATE webhook_deliveries SET state = 'FAILED', error = ?
          WHERE webhook_id = ? AND state = 'PENDING' AND begun_at < ?""");

  private static final Sql FORGET_OLD =
      Sql.of(
          "DELETE FROM webhook_deliveries WHERE webhook_id = ? AND state = ? AND created_at < ?");

  private static final Sql FORGET_FIRST =
      Sql.of("DELETE FROM webhook_deliveries WHERE webhook_id = ? AND state = ? AND id <= ?");

  private static final Sql NEXT_WEBHOOK =
      Sql.of("SELECT min(webhook_id) FROM webhook_deliveries WHERE webhook_id > ?");

  private static final Sql LAST_OF_FIRST =
      Sql.of(
          """
          SELECT max(id) FROM (
            SELECT id FROM webhook_deliveries WHERE webhook_id = ? ORDER BY webhook_id, id LIMIT ?
          ) first""");

  private static final Sql FORGET_SOME =
      Sql.of("DELETE FROM webhook_deliveries WHERE webhook_id = ? AND id <= ?");

  private static final Sql BACKLOG =
      Sql.of(
          """
          SELECT count(*), min(d.begun_at) FROM webhook_deliveries d
          JOIN webhooks w ON w.id = d.webhook_id WHERE d.state = 'PENDING' AND w.ended_at = 0""");

  private final Rows rows;

  DeliveryRows(Rows rows) {
    this.rows = rows;
  }

  /** Writes messages down for all of these who want them, as long as there is room. */
  void insert(List<Kept> webhooks, List<Message> messages, long now) throws SQLException {
    for (Kept kept : webhooks) {
      Webhook webhook = kept.webhook();
      insert(
          webhook.id(),
          messages.stream().filter(m -> webhook.wants(m.kind(), m.queue())).toList(),
          now);
    }
  }

  void insert(String webhook, List<Message> messages, long now) throws SQLException {
    if (messages.isEmpty()) {
      return;
    }
    var pending = new AtomicInteger(pending(webhook));
    rows.updateAll(
        INSERT,
        messages,
        (insert, message) -> {
          boolean isRoom = pending.getAndIncrement() < Webhooks.MAX_PENDING;
          QueueId queue = message.queue();
          int i = 1;
          insert.setString(i++, webhook);
          insert.setString(i++, message.id());
          insert.setString(i++, message.kind());
          insert.setString(i++, queue == null ? "" : queue.type());
          insert.setString(i++, queue == null ? "" : queue.id());
          insert.setString(i++, message.body());
          insert.setString(i++, (isRoom ? State.PENDING : State.FAILED).name());
          insert.setLong(i++, now);
          insert.setLong(i++, now);
          insert.setLong(i++, now);
          insert.setString(i, isRoom ? "" : Webhooks.BACKLOG_FULL);
        });
  }

  private int pending(String webhook) throws SQLException {
    return rows.one(result -> result.getInt(1), COUNT_PENDING, webhook, Webhooks.MAX_PENDING);
  }

  /** What is due first; null if nothing is. */
  @Nullable Delivery next(String webhook, long now) throws SQLException {
    return rows.list(DeliveryRows::row, NEXT, webhook, now).stream().findFirst().orElse(null);
  }

  void settle(Delivery delivery, Tried tried, long now) throws SQLException {
    rows.update(
        SETTLE,
        tried.state().name(),
        now + tried.againMicros(),
        now,
        tried.status(),
        tried.error(),
        delivery.webhook(),
        delivery.message().id());
  }

  List<Delivery> list(String webhook, @Nullable State state, long below, int limit)
      throws SQLException {
    return state == null
        ? rows.list(DeliveryRows::row, ALL, webhook, below, limit)
        : rows.list(DeliveryRows::row, OF_STATE, webhook, state.name(), below, limit);
  }

  Optional<Delivery> find(String webhook, String message) throws SQLException {
    return rows.list(DeliveryRows::row, FIND, webhook, message).stream().findFirst();
  }

  boolean replay(String webhook, String message, long now) throws SQLException {
    return rows.update(REPLAY_ONE, now, now, webhook, message) == 1;
  }

  /** The latest, as many as there is room for. */
  int replayFailed(String webhook, long since, long now) throws SQLException {
    int room = Webhooks.MAX_PENDING - pending(webhook);
    return room <= 0
        ? 0
        : rows.update(
            REPLAY_FAILED, now, now, webhook, since, cut(webhook, State.FAILED, room) + 1);
  }

  private long cut(String webhook, State state, int kept) throws SQLException {
    return rows.list(result -> result.getLong(1), CUT, webhook, state.name(), kept).stream()
        .findFirst()
        .orElse(0L);
  }

  /** What was written down before that, and is still on its way, has failed. */
  void fail(String webhook, long before, String error) throws SQLException {
    rows.update(FAIL_ALL, error, webhook, before);
  }

  /** Forgets what is older than that, and what is more than that. */
  void forget(String webhook, State state, long before, int kept) throws SQLException {
    rows.update(FORGET_OLD, webhook, state.name(), before);
    long cut = cut(webhook, state, kept);
    if (cut > 0) {
      rows.update(FORGET_FIRST, webhook, state.name(), cut);
    }
  }

  /** The next one that there are deliveries of; null if there is none. */
  @Nullable String webhookAfter(String webhook) throws SQLException {
    return rows.list(result -> Optional.ofNullable(result.getString(1)), NEXT_WEBHOOK, webhook)
        .getFirst()
        .orElse(null);
  }

  /** Forgets the first of a webhook; says whether there may be more. */
  boolean forgetSome(String webhook, int limit) throws SQLException {
    long last = rows.one(result -> result.getLong(1), LAST_OF_FIRST, webhook, limit);
    return last > 0 && rows.update(FORGET_SOME, webhook, last) >= limit;
  }

  Backlog backlog(long now) throws SQLException {
    return rows.one(
        result -> {
          long pending = result.getLong(1);
          long oldest = result.getLong(2);
          return pending == 0 ? Backlog.NONE : new Backlog(pending, Math.max(0, now - oldest));
        },
        BACKLOG);
  }

  private static Delivery row(ResultSet result) throws SQLException {
    String type = result.getString("event_type");
    return new Delivery(
        result.getLong("id"),
        result.getString("webhook_id"),
        new Message(
            result.getString("message_id"),
            result.getString("kind"),
            type.isEmpty() ? null : new QueueId(type, result.getString("event_id")),
            result.getString("body")),
        State.valueOf(result.getString("state")),
        result.getLong("created_at"),
        result.getInt("tries"),
        result.getLong("due_at"),
        result.getLong("tried_at"),
        result.getInt("status"),
        result.getString("error"));
  }
}
