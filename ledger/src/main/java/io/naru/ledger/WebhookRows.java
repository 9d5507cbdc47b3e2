package io.naru.ledger;

import io.naru.access.Reach;
import io.naru.queue.QueueId;
import io.naru.webhook.Delivery;
import io.naru.webhook.Webhook;
import io.naru.webhook.Webhooks;
import io.naru.webhook.Webhooks.Claimed;
import io.naru.webhook.Webhooks.Kept;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Webhooks, who sends there, and what servers have seen that is told them. */
final class WebhookRows {

  private static final String COLUMNS =
      "id, name, url, queues, events, secrets, created_at, created_by, version, rotating_until,"
          + " ended_at, because";

  static final Sql KEPT = Sql.of("SELECT " + COLUMNS + " FROM webhooks ORDER BY id");

  private static final Sql FIND = Sql.of("SELECT " + COLUMNS + " FROM webhooks WHERE id = ?");

  private static final Sql INSERT =
      dialect ->
          dialect.ifAbsent(
              "INSERT INTO webhooks ("
                  + COLUMNS
                  + ", holder, held_until, failures, rests_until)"
                  + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', 0, 0, 0)");

  /** Whoever changes something wants it tried; so it rests no longer. */
  private static final Sql UPDATE =
      Sql.of(
          """
          UPDATE webhooks SET name = ?, url = ?, queues = ?, events = ?, secrets = ?, version = ?,
            rotating_until = ?, ended_at = ?, because = ?, failures = 0, rests_until = 0
          WHERE id = ? AND version = ?""");

  private static final Sql OTHERS_OF_NAME =
      Sql.of("SELECT count(*) FROM webhooks WHERE name = ? AND id <> ?");

  private static final Sql DELETE = Sql.of("DELETE FROM webhooks WHERE id = ?");

  /**
   * The first that is due of each says whether there is anything. A time that is further off than
   * anybody holds or rests is one of a clock that has been set since.
   */
  static final Sql DUE =
      Sql.of(
          """
          SELECT w.id FROM webhooks w
          WHERE w.ended_at = 0 AND (w.held_until <= ? OR w.held_until > ?)
            AND (w.rests_until <= ? OR w.rests_until > ?)
            AND (SELECT d.due_at FROM webhook_deliveries d
              WHERE d.webhook_id = w.id AND d.state = 'PENDING'
              ORDER BY d.webhook_id, d.due_at, d.id LIMIT 1) <= ?
          ORDER BY w.id LIMIT ?""");

  private static final Sql CLAIM =
      Sql.of(
          """
          UPDATE webhooks SET holder = ?, held_until = ?
          WHERE id = ? AND ended_at = 0 AND (rests_until <= ? OR rests_until > ?)
            AND (holder = ? OR held_until <= ? OR held_until > ?)""");

  private static final Sql CLAIMED =
      Sql.of("SELECT failures, " + COLUMNS + " FROM webhooks WHERE id = ?");

  private static final Sql TRIED =
      Sql.of(
          """
          UPDATE webhooks SET failures = ? * (failures + 1), rests_until = ?
          WHERE id = ? AND holder = ?""");

  private static final Sql WAKE =
      Sql.of("UPDATE webhooks SET rests_until = 0 WHERE id = ? AND ended_at = 0");

  private static final Sql RELEASE =
      Sql.of("UPDATE webhooks SET held_until = 0 WHERE id = ? AND holder = ?");

  private static final Sql SEE_FIRST =
      dialect ->
          dialect.ifAbsent(
              "INSERT INTO webhook_signs (event_type, event_id, kind, seen_at)"
                  + " VALUES (?, ?, ?, ?)");

  private static final Sql SEE =
      Sql.of(
          """
          UPDATE webhook_signs SET seen_at = ?
          WHERE event_type = ? AND event_id = ? AND kind = ? AND (seen_at < ? OR seen_at > ?)""");

  private static final Sql SEEN =
      Sql.of(
          """
          SELECT event_type, event_id FROM webhook_signs WHERE kind = ? AND seen_at BETWEEN ? AND ?
          ORDER BY event_type, event_id""");

  private static final Sql FORGET_SIGNS = Sql.of("DELETE FROM webhook_signs WHERE seen_at < ?");

  private final Rows rows;

  WebhookRows(Rows rows) {
    this.rows = rows;
  }

  List<Kept> kept() throws SQLException {
    return rows.list(WebhookRows::kept, KEPT);
  }

  Optional<Webhook> find(String id) throws SQLException {
    return rows.list(WebhookRows::kept, FIND, id).stream().map(Kept::webhook).findFirst();
  }

  /** Whether it could be: another one may have the name. */
  boolean insert(Kept kept) throws SQLException {
    Webhook webhook = kept.webhook();
    return rows.update(
            INSERT,
            webhook.id(),
            webhook.name(),
            webhook.url(),
            webhook.reach().text(),
            String.join(" ", webhook.events()),
            kept.secrets(),
            webhook.createdAt(),
            webhook.createdBy(),
            webhook.version(),
            webhook.rotatingUntil(),
            webhook.endedAt(),
            webhook.because())
        == 1;
  }

  /** Whether it was as it was read. */
  boolean replace(Webhook read, Kept kept) throws SQLException {
    Webhook webhook = kept.webhook();
    return rows.update(
            UPDATE,
            webhook.name(),
            webhook.url(),
            webhook.reach().text(),
            String.join(" ", webhook.events()),
            kept.secrets(),
            webhook.version(),
            webhook.rotatingUntil(),
            webhook.endedAt(),
            webhook.because(),
            read.id(),
            read.version())
        == 1;
  }

  boolean isNameTaken(Webhook by) throws SQLException {
    return rows.one(result -> result.getInt(1), OTHERS_OF_NAME, by.name(), by.id()) > 0;
  }

  boolean delete(String id) throws SQLException {
    return rows.update(DELETE, id) == 1;
  }

  List<String> due(long now, int limit) throws SQLException {
    return rows.list(
        result -> result.getString(1),
        DUE,
        now,
        now + Webhooks.LONGEST_LEASE,
        now,
        now + Webhooks.LONGEST_REST,
        now,
        limit);
  }

  boolean claim(String id, String holder, long now, long until) throws SQLException {
    return rows.update(
            CLAIM,
            holder,
            until,
            id,
            now,
            now + Webhooks.LONGEST_REST,
            holder,
            now,
            now + Webhooks.LONGEST_LEASE)
        == 1;
  }

  Optional<Claimed> claimed(String id, @Nullable Delivery next) throws SQLException {
    return rows
        .list(result -> new Claimed(kept(result), result.getInt(1), next), CLAIMED, id)
        .stream()
        .findFirst();
  }

  /** Whether it is still held by whoever tried. */
  boolean tried(String id, String holder, boolean isFailed, long restsUntil) throws SQLException {
    return rows.update(TRIED, isFailed ? 1 : 0, restsUntil, id, holder) == 1;
  }

  /** It rests no longer; says whether anything is sent there. */
  boolean wake(String id) throws SQLException {
    return rows.update(WAKE, id) == 1;
  }

  void release(String id, String holder) throws SQLException {
    rows.update(RELEASE, id, holder);
  }

  /** Whether nobody had seen it lately; nor soon, on a clock that has been set since. */
  boolean see(QueueId queue, String kind, long now, long forgotten) throws SQLException {
    if (rows.update(SEE_FIRST, queue.type(), queue.id(), kind, now) == 1) {
      return true;
    }
    long before = now - forgotten;
    long after = now + forgotten;
    boolean isNew = rows.update(SEE, now, queue.type(), queue.id(), kind, before, after) == 1;
    if (!isNew) {
      rows.update(SEE, now, queue.type(), queue.id(), kind, now, after);
    }
    return isNew;
  }

  List<QueueId> seen(String kind, long now, long forgotten) throws SQLException {
    return rows.list(
        result -> new QueueId(result.getString(1), result.getString(2)),
        SEEN,
        kind,
        now - forgotten,
        now + forgotten);
  }

  void forgetSigns(long before) throws SQLException {
    rows.update(FORGET_SIGNS, before);
  }

  private static Kept kept(ResultSet result) throws SQLException {
    String events = result.getString("events");
    return new Kept(
        new Webhook(
            result.getString("id"),
            result.getString("name"),
            result.getString("url"),
            Reach.ofText(result.getString("queues")),
            events.isEmpty() ? List.of() : List.of(events.split(" ", -1)),
            result.getLong("created_at"),
            result.getString("created_by"),
            result.getLong("version"),
            result.getLong("rotating_until"),
            result.getLong("ended_at"),
            result.getString("because")),
        result.getString("secrets"));
  }
}
