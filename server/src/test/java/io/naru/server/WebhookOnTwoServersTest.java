package io.naru.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.journal.Feed;
import io.naru.ledger.Ledger;
import io.naru.server.webhooks.Receiver;
import io.naru.server.webhooks.Receiver.Received;
import io.naru.server.webhooks.WebhookRules;
import io.naru.testkit.PostgresServer;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.nio.file.Path;
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
