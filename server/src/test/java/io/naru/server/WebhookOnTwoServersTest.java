package io.naru.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.standardwebhooks.Webhook;
import io.naru.journal.Feed;
import io.naru.ledger.Ledger;
import io.naru.server.webhooks.Receiver;
import io.naru.server.webhooks.Receiver.Received;
import io.naru.server.webhooks.WebhookRules;
import io.naru.testkit.PostgresServer;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two servers on one ledger, which both read, see and send. The races they hunt: a change that both
 * make deliveries of, a delivery that both send, and one that is lost with the server that had it.
 */
@Tag("process")
class WebhookOnTwoServersTest {

  private static final String QUEUE = "SALE/1";
  private static final int TURNS = 10;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static Naru.Config config(Path data, String redis, Ledger.Config ledger) {
    Naru.Config c = TestServer.config(data, redis, ledger);
    return new Naru.Config(
        0,
        c.bind(),
        c.data(),
        c.redis(),
        c.ledger(),
        c.adminKey(),
        c.siteKey(),
        c.visitors(),
        c.watching(),
        c.poll(),
        c.keys(),
        c.coins(),
        new Naru.Outside(null, Feed.Bounds.DEFAULT, WebhookRules.of("127.0.0.0/8", 2)));
  }

  /**
   * The ledger of one queue loses a commit, as with a fail-over. Both see it, one tells, and what
   * tells is in that very ledger.
   */
  @Test
  void frozen_bothSeeIt_isToldOnce(@TempDir Path one, @TempDir Path two) throws Exception {
    PostgresServer database = PostgresServer.shared();
    var ledger = new Ledger.Config(database.fresh(), database.user(), database.password(), false);
    try (var receiver = new Receiver();
        var redis = RedisServer.start(RedisBinary.embedded());
        var first = TestServer.start(config(one, redis.uri(), ledger));
        var second = TestServer.start(config(two, redis.uri(), ledger))) {
      Answer made =
          first.admin("POST", "/admin/webhooks", "{\"url\":\"" + receiver.url() + "\"}").is(201);
      first.activate(QUEUE, "\"maxCapacity\":1,\"entryIntervalSeconds\":1").is(201);
      first.enter(QUEUE, "ann").is(201);
      await()
          .atMost(PATIENCE)
          .until(() -> first.status(QUEUE, "ann").text("status").equals("ENTERED"));
      second.enter(QUEUE, "bob").is(201);

      loseTheLastCommit(database, ledger);
      first.enter(QUEUE, "cid").isProblem(503, "unavailable");
      second.enter(QUEUE, "cid").isProblem(503, "unavailable");

      await().atMost(PATIENCE).until(() -> count(receiver, "queue.frozen") > 0);
      Received told = receiver.received().getLast();
      new Webhook(made.text("secret")).verify(told.body(), told.lists());
      assertThat(told.body())
          .contains("\"eventType\":\"SALE\"", "\"eventId\":\"1\"", "\"kind\":\"frozen\"");
      // Each look of either is noted, and what comes after the third is none of the first ones.
      for (int looks = 0; looks < 3; looks++) {
        long before = seen(database, ledger);
        await().atMost(PATIENCE).until(() -> seen(database, ledger) > before);
      }
      first.admin("POST", "/admin/webhooks/" + made.text("id") + "/test", "").is(202);
      await().atMost(PATIENCE).until(() -> count(receiver, "webhook.ping") == 1);
      assertThat(count(receiver, "queue.frozen")).isEqualTo(1);
    }
  }

  /** Bob's place; and as after a fail-over every connection is a new one. */
  private static void loseTheLastCommit(PostgresServer database, Ledger.Config ledger)
      throws SQLException {
    try (var connection = database.connect(ledger.url());
        var sql = connection.createStatement()) {
      connection.setAutoCommit(false);
      sql.execute("UPDATE waiting_queues SET change_no = change_no - 1, waiting = waiting - 1");
      sql.execute("DELETE FROM queue_entries WHERE user_id = 'bob'");
      sql.execute(
          """
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid()
          """);
      connection.commit();
    }
  }

  /** When a server last saw that a queue was frozen. */
  private static long seen(PostgresServer database, Ledger.Config ledger) throws SQLException {
    try (var connection = database.connect(ledger.url());
        var sql = connection.createStatement();
        var row = sql.executeQuery("SELECT seen_at FROM webhook_signs WHERE kind = 'frozen'")) {
      row.next();
      return row.getLong(1);
    }
  }

  private static void act(TestServer server, String act) {
    server.admin("POST", "/admin/queue/" + act, TestServer.named(QUEUE, "")).is(200);
  }

  @Test
  void bothTell_eachOnceAndInOrder_andTheOtherGoesOn(@TempDir Path one, @TempDir Path two) {
    PostgresServer database = PostgresServer.shared();
    var ledger = new Ledger.Config(database.fresh(), database.user(), database.password(), false);
    try (var receiver = new Receiver();
        var redis = RedisServer.start(RedisBinary.embedded());
        var first = TestServer.start(config(one, redis.uri(), ledger))) {
      String id =
          first
              .admin("POST", "/admin/webhooks", "{\"url\":\"" + receiver.url() + "\"}")
              .is(201)
              .text("id");
      first.activate(QUEUE, "\"maxCapacity\":1,\"entryIntervalSeconds\":3600").is(201);
      try (var second = TestServer.start(config(two, redis.uri(), ledger))) {
        tellTogether(receiver, first, second);
      }

      first.admin("POST", "/admin/webhooks/" + id + "/test", "").is(202);
      act(first, "end");

      // Whatever the other one held is free again, at the latest when it is forgotten.
      await()
          .atMost(Duration.ofSeconds(90))
          .until(() -> count(receiver, "webhook.ping") == 1 && count(receiver, "queue.ended") == 1);
    }
  }

  private static void tellTogether(Receiver receiver, TestServer first, TestServer second) {
    // The other one notices within a second that somebody listens.
    await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> {
              act(second, "close");
              act(second, "open");
              return count(receiver, "queue.closed") > 0;
            });
    List<TestServer> servers = List.of(first, second);
    int before = count(receiver, "queue.paused");
    for (int i = 0; i < TURNS; i++) {
      act(servers.get(i % 2), "pause");
      act(servers.get((i + 1) % 2), "resume");
    }
    for (int i = 0; i < 5; i++) {
      servers.get(i % 2).enter(QUEUE, "u" + i).is(201);
    }

    await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                count(receiver, "queue.paused") - before == TURNS
                    && count(receiver, "queue.too-long") > 0);
    List<String> ids = receiver.received().stream().map(Received::id).toList();
    assertThat(ids).doesNotHaveDuplicates();
    assertThat(changes(receiver)).isSorted();
    assertThat(count(receiver, "queue.too-long")).isEqualTo(1);
  }

  private static int count(Receiver receiver, String type) {
    return (int)
        receiver.received().stream()
            .filter(r -> r.body().startsWith("{\"type\":\"" + type + "\""))
            .count();
  }

  private static List<Long> changes(Receiver receiver) {
    return receiver.received().stream()
        .filter(r -> r.body().contains("\"change\":"))
        .map(r -> Long.valueOf(r.body().replaceAll(".*\"change\":([0-9]+).*", "$1")))
        .toList();
  }
}
