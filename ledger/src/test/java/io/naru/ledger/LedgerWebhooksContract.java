package io.naru.ledger;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.naru.access.Reach;
import io.naru.audit.AuditTrail;
import io.naru.journal.Feed;
import io.naru.journal.Unread;
import io.naru.queue.Actor;
import io.naru.queue.Edit;
import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import io.naru.queue.Queues;
import io.naru.webhook.Message;
import io.naru.webhook.Webhook;
import io.naru.webhook.Webhooks;
import io.naru.webhook.WebhooksContract;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Webhooks in a ledger, whatever its database. */
abstract class LedgerWebhooksContract extends WebhooksContract {

  private static final QueueId QUEUE = new QueueId("ATOMIC", "1");

  abstract LedgerFixture fixture();

  @Override
  protected Webhooks webhooks() {
    return fixture().ledger().webhooks();
  }

  @Override
  protected Feed feed() {
    return fixture().ledger().feed();
  }

  @Override
  protected Queues queues() {
    return fixture().ledger().queues();
  }

  @Override
  protected AuditTrail trail() {
    return fixture().ledger().audit();
  }

  @Override
  protected void advance(Duration by) {
    fixture().advance(by);
  }

  @Override
  protected void empty() throws Exception {
    for (var overview : queues().list(null, 100).toCompletableFuture().get(10, SECONDS)) {
      queues().delete(overview.queue().id(), Actor.SYSTEM).toCompletableFuture().get(10, SECONDS);
    }
    feed().end("webhooks");
    execute(
        "DELETE FROM webhooks",
        "DELETE FROM webhook_deliveries",
        "DELETE FROM webhook_signs",
        "DELETE FROM queue_events",
        "DELETE FROM audit_rows");
  }

  private void execute(String... statements) throws SQLException {
    try (Connection connection = fixture().connect();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  /** A server that dies between writing down and reading on leaves neither. */
  @Test
  void feed_thatFailsInBetween_hasDoneNothing() throws Exception {
    var webhook =
        new Webhook("01", "a", "https://a.example/", Reach.ALL, List.of(), 5, "x", 1, 0, 0, "");
    webhooks().add(new Webhooks.Kept(webhook, "s"), Actor.SYSTEM);
    feed().listen("webhooks");
    queues().edit(QUEUE, Edit.activate(Map.of())).toCompletableFuture().get(10, SECONDS);
    Unread unread = feed().unread("webhooks", 10).getFirst();
    List<Message> opened = List.of(new Message("msg_1", "opened", QUEUE, "{}"));

    execute("ALTER TABLE webhook_deliveries RENAME TO hidden");
    try {
      assertThatThrownBy(() -> webhooks().feed("webhooks", unread, unread.head(), opened))
          .isInstanceOf(QueueUnavailable.class);
    } finally {
      execute("ALTER TABLE hidden RENAME TO webhook_deliveries");
    }

    assertThat(feed().unread("webhooks", 10).getFirst().cursor()).isEqualTo(unread.cursor());
    assertThat(webhooks().feed("webhooks", unread, unread.head(), opened)).isTrue();
    assertThat(webhooks().deliveries("01", null, Long.MAX_VALUE, 10)).hasSize(1);
  }

  /** What stays behind when whoever deletes a webhook does not get to the end. */
  @Test
  void tidy_forgetsDeliveriesOfNobody() throws Exception {
    var webhook =
        new Webhook("01", "a", "https://a.example/", Reach.ALL, List.of(), 5, "x", 1, 0, 0, "");
    webhooks().add(new Webhooks.Kept(webhook, "s"), Actor.SYSTEM);
    webhooks().test("01", new Message("msg_1", "ping", null, "{}"), Actor.SYSTEM);
    execute("DELETE FROM webhooks");

    webhooks().tidy();

    assertThat(webhooks().deliveries("01", null, Long.MAX_VALUE, 10)).isEmpty();
  }
}
