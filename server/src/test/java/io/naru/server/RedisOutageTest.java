package io.naru.server;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.ledger.Ledger;
import io.naru.testkit.EventStream;
import io.naru.testkit.EventStream.Event;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import io.naru.testkit.StrictJson;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Redis goes away and comes back: everybody is answered meanwhile, and places are kept. */
@Tag("process")
class RedisOutageTest {

  private static final String QUEUE = "TIMEDEAL/1";
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @Test
  void redisKilledAndBack_answers503MeanwhileAndKeepsPlaces(@TempDir Path data) {
    try (var redis =
            RedisServer.start(
                RedisBinary.embedded(), "--appendonly", "yes", "--appendfsync", "always");
        var server = TestServer.start(TestServer.config(data, redis.uri()));
        var management = new Client(server.managementPort())) {
      server.activate(QUEUE, "\"maxCapacity\":1,\"entryIntervalSeconds\":3600").is(201);
      server.enter(QUEUE, "first").is(201);
      await().until(() -> server.status(QUEUE, "first").text("status").equals("ENTERED"));
      Answer ann = server.enter(QUEUE, "ann").is(201);
      String pass = server.pass(QUEUE, "first");
      await().until(() -> server.client().get("/health/ready").status() == 200);

      redis.kill();

      await().until(() -> server.client().get("/health/ready").status() == 503);
      assertThat(server.client().get("/health/ready").json()).isEqualTo(Map.of("status", "DOWN"));
      server.client().get("/health/live").is(200);
      for (Answer refused :
          new Answer[] {
            server.enter(QUEUE, "ben"),
            server.enter(QUEUE, "ann"),
            server.status(QUEUE, "ann"),
            server.statusByToken(ann.text("entryToken")),
            server.leave(QUEUE, "ann"),
            server.complete(QUEUE, pass),
            server.redeem(QUEUE, pass, "s1"),
            server.queue(QUEUE),
            server.admin("GET", "/admin/queues", ""),
            server.activate(QUEUE, "")
          }) {
        refused.isProblem(503, "unavailable");
        assertThat(refused.header("retry-after")).matches("[1-3]");
      }
      // What would happen twice is not to be tried again unseen.
      for (Answer refused :
          new Answer[] {server.admin("POST", "/admin/keys/rotate", ""), server.process(QUEUE, 1)}) {
        refused.isProblem(503, "unavailable");
        assertThat(refused.header("retry-after")).isNull();
      }
      Answer details = management.get("/health");
      assertThat(details.status()).isEqualTo(503);
      assertThat(details.json()).containsEntry("status", "DOWN").containsKey("degraded");
      server
          .client()
          .get("/queue/" + QUEUE + "/subscribe/" + ann.text("entryToken"))
          .isProblem(503, "unavailable");
      assertThat(management.get("/metrics").body())
          .contains(
              "naru_errors_total{type=\"internal\"} 0.0",
              "naru_streams_failed_total{reason=\"unavailable\"} 1.0",
              "naru_deciding 0.0")
          .doesNotContain(
              "naru_errors_total{type=\"disconnected\"} 0.0",
              "naru_errors_total{type=\"scheduler\"} 0.0",
              "naru_store_failures_total{operation=\"locate\",store=\"redis\"} 0.0");

      redis.restart();

      await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> server.client().get("/health/ready").status() == 200);
      assertThat(server.status(QUEUE, "ann").is(200).json())
          .containsEntry("position", 1)
          .containsEntry("entryToken", ann.text("entryToken"))
          .containsEntry("joinedAt", ann.text("joinedAt"));
      assertThat(server.enter(QUEUE, "ben").is(201).number("position")).isEqualTo(2);
      assertThat(management.get("/health").is(200).json()).doesNotContainKey("degraded");
    }
  }

  /** With a ledger people are let in without Redis; nobody takes that for all being well. */
  @Test
  void redisKilledBesideALedger_isSaidAtTheConsole(@TempDir Path data) {
    var sqlite = new Ledger.Config("jdbc:sqlite:" + data.resolve("ledger.db"), null, null, false);
    try (var redis = RedisServer.start(RedisBinary.embedded());
        var server = TestServer.start(TestServer.config(data, redis.uri(), sqlite))) {
      server.activate(QUEUE, "").is(201);
      server.enter(QUEUE, "ann").is(201);
      String path = "/admin/queues/" + QUEUE + "/live";
      String key = "Bearer " + TestServer.KEY;
      try (var console = EventStream.open(server.port(), path, "Authorization", key)) {
        await().until(() -> line(console).equals("ok"));
        redis.kill();
        server.enter(QUEUE, "ben").is(201);
        await().atMost(PATIENCE).until(() -> line(console).equals("degraded"));
        redis.restart();
        await().atMost(PATIENCE).until(() -> line(console).equals("ok"));
      }
    }
  }

  /** What a console says of the server's stores. */
  private static String line(EventStream console) throws InterruptedException {
    Event figures = requireNonNull(console.next(PATIENCE));
    Map<?, ?> server = (Map<?, ?>) requireNonNull(StrictJson.object(figures.data()).get("server"));
    return "" + server.get("line");
  }
}
