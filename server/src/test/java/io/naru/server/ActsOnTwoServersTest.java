package io.naru.server;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.ledger.Ledger;
import io.naru.testkit.EventStream;
import io.naru.testkit.PostgresServer;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An operator acts on one server; whoever waits at the other one sees it, watching or asking. */
@Tag("process")
class ActsOnTwoServersTest {

  private static final String QUEUE = "CONCERT/1";
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  @TempDir private Path one;
  @TempDir private Path two;

  @Test
  void acts_onOneServer_areSeenAtTheOther() throws Exception {
    PostgresServer postgres = PostgresServer.shared();
    var ledger = new Ledger.Config(postgres.fresh(), postgres.user(), postgres.password(), false);
    try (var redis = RedisServer.start(RedisBinary.embedded());
        var first = TestServer.start(TestServer.config(one, redis.uri(), ledger));
        var second = TestServer.start(TestServer.config(two, redis.uri(), ledger))) {
      first.activate(QUEUE, "\"maxCapacity\":1,\"entryIntervalSeconds\":3600").is(201);
      first.enter(QUEUE, "inside").is(201);
      await().until(() -> second.status(QUEUE, "inside").text("status").equals("ENTERED"));
      String token = second.enter(QUEUE, "ann").is(201).text("entryToken");
      try (var stream =
          EventStream.open(second.port(), "/queue/" + QUEUE + "/subscribe/" + token)) {
        see(stream, board -> board.text("state").equals("OPEN"));

        first.admin("PUT", "/admin/queues/" + QUEUE, "{\"message\":{\"en\":\"Soon\"}}").is(200);
        Answer message = see(stream, board -> board.object("message").containsKey("en"));
        await().until(() -> second.status(QUEUE, "ann").number("board") == message.number("board"));
        await()
            .until(
                () ->
                    second
                        .client()
                        .get("/queue/" + QUEUE + "/board")
                        .object("message")
                        .containsKey("en"));

        act(first, "pause");
        see(stream, board -> board.text("state").equals("PAUSED"));
        await().until(() -> second.status(QUEUE, "ann").json().containsKey("paused"));

        act(first, "resume");
        see(stream, board -> board.text("state").equals("OPEN"));
        await().until(() -> !second.status(QUEUE, "ann").json().containsKey("paused"));

        act(first, "close");
        see(stream, board -> board.text("state").equals("CLOSED"));
        second.enter(QUEUE, "late").isProblem(403, "S805");

        timesAreKeptBy(first, second);
        stockBounds(first, second);
        comesBack(first, second);
        comesBackAndIsDone(first, second);

        act(first, "end");
        see(stream, board -> board.text("state").equals("ENDED"));
        assertThat(stream.ends(PATIENCE)).isTrue();
        await().until(() -> second.status(QUEUE, "ann").status() == 410);
      }
    }
  }

  private static void timesAreKeptBy(TestServer first, TestServer second) {
    String queue = "CONCERT/2";
    Instant tomorrow = Instant.now().plus(Duration.ofDays(1)).truncatedTo(ChronoUnit.SECONDS);
    String opensAt = tomorrow.toString().replace("Z", ".000000Z");
    first.activate(queue, "\"opensAt\":\"" + tomorrow + "\"").is(201);

    Answer refused = second.enter(queue, "early");
    refused.isProblem(403, "S805");
    assertThat(refused.text("opensAt")).isEqualTo(opensAt);
    Answer board = second.client().get("/queue/" + queue + "/board").is(200);
    assertThat(board.json())
        .containsEntry("state", "CLOSED")
        .containsEntry("entryOpen", false)
        .containsEntry("pausedBy", "schedule")
        .containsEntry("opensAt", opensAt)
        .containsEntry("admitsFrom", opensAt)
        .containsKey("at");
    String body = "{\"endsAt\":\"" + tomorrow + "\"}";
    assertThat(first.admin("PUT", "/admin/queues/" + queue, body).text("field"))
        .isEqualTo("endsAt");
    assertThat(first.admin("GET", "/admin/queues/" + queue, "").json())
        .containsEntry("state", "OPEN")
        .containsEntry("opensAt", tomorrow.toString())
        .containsEntry("endsAt", null);
    Instant soon = Instant.now().plusMillis(300);
    body = "{\"opensAt\":null,\"endsAt\":\"" + soon + "\"}";
    first.admin("PUT", "/admin/queues/" + queue, body).is(200);
    await()
        .until(
            () -> second.client().get("/queue/" + queue + "/board").text("state").equals("ENDED"));
  }

  private static void stockBounds(TestServer first, TestServer second) throws Exception {
    String queue = "CONCERT/3";
    first.activate(queue, "\"stock\":{\"perVisitor\":2}").is(201);
    String token = second.enter(queue, "ann").is(201).text("entryToken");
    second.enter(queue, "ben").is(201);
    try (var stream = EventStream.open(second.port(), "/queue/" + queue + "/subscribe/" + token)) {
      see(stream, board -> board.object("stock").equals(Map.of("state", "stale")));
      assertThat(second.status(queue, "ann").json())
          .containsEntry("pausedBy", "stock")
          .doesNotContainKeys("wait", "estimatedWaitSeconds");

      push(first, 1, "{\"name\":\"A\",\"remaining\":0,\"held\":8}").is(200);
      see(
          stream,
          board ->
              board.object("stock").equals(Map.of("remaining", 0, "held", 8, "state", "paying")));
      push(second, 2, "{\"name\":\"A\",\"remaining\":0}").is(200);
      see(stream, board -> "sold-out".equals(board.object("stock").get("state")));

      Answer older = push(second, 1, "{\"name\":\"A\",\"remaining\":9}").is(200);
      assertThat(older.json()).containsEntry("taken", false);
      assertThat(older.object("stock")).containsEntry("version", 2);
      push(second, 3, "{\"name\":\"A\",\"remaining\":3}").is(200);
      await().until(() -> first.status(queue, "ann").text("status").equals("ENTERED"));
      assertThat(first.status(queue, "ben").text("status")).isEqualTo("WAITING");
      assertThat(first.admin("GET", "/admin/queues/" + queue, "").object("stockFigures"))
          .containsEntry("version", 3)
          .containsEntry("remaining", 3);
    }
    for (String wrong :
        List.of(
            "{\"name\":\"A\",\"remaining\":-1}",
            "{\"name\":\"A\",\"remaining\":1.5}",
            "{\"name\":\"A\",\"remaining\":10000001}",
            "{\"name\":\"A\",\"remaining\":null}",
            "{\"name\":\"A\",\"remaining\":1,\"price\":1}",
            "{\"name\":\"A\",\"remaining\":1},{\"name\":\"A\",\"remaining\":1}",
            "{\"remaining\":1}",
            "7",
            "")) {
      Answer refused = push(first, 4, wrong);
      refused.isProblem(400, "invalid-value");
      assertThat(refused.text("field")).startsWith("pools");
    }
    assertThat(push(first, -1, "{\"name\":\"A\",\"remaining\":1}").text("field"))
        .isEqualTo("version");
    assertThat(push(first, (1L << 53) + 1, "{\"name\":\"A\",\"remaining\":1}").text("field"))
        .isEqualTo("version");
    first.activate(queue, "\"stock\":null").is(200);
    push(second, 4, "{\"name\":\"A\",\"remaining\":1}").isProblem(409, "stock-off");
  }

  private static void comesBack(TestServer first, TestServer second) {
    String queue = "CONCERT/4";
    // One goes in, and then nobody until it is said: else ann is inside again before she is looked
    // at.
    first
        .activate(
            queue,
            "\"maxCapacity\":1,\"maxReturns\":1,\"entryBatchSize\":1,\"entryIntervalSeconds\":3600")
        .is(201);
    first.enter(queue, "ann").is(201);
    await().until(() -> second.status(queue, "ann").text("status").equals("ENTERED"));
    String pass = second.status(queue, "ann").text("pass");
    String token = second.status(queue, "ann").text("entryToken");
    second.enter(queue, "ben").is(201);

    giveBack(first, "nonsense", "{}").isProblem(403, "S806");
    giveBack(first, pass, "{\"giveUp\":1}").isProblem(400, "invalid-value");
    giveBack(first, pass, "{\"up\":true}").isProblem(400, "invalid-value");
    Answer kept = giveBack(second, pass, "").is(200);
    assertThat(kept.json()).containsEntry("status", "ENTERED").containsEntry("entryToken", token);
    assertThat(giveBack(first, pass, "{}").is(200).text("passExpiresAt"))
        .isEqualTo(kept.text("passExpiresAt"));
    Answer back = giveBack(first, pass, "{\"giveUp\":true}").is(200);
    assertThat(back.text("entryToken")).isNotEqualTo(token);
    assertThat(back.json()).containsEntry("lane", "fallback");
    Answer over = second.client().get("/queue/token/" + token + "/status");
    over.isProblem(410, "S804");
    assertThat(over.object("entry"))
        .containsEntry("reason", "returned")
        .containsKeys("joinedAt", "enteredAt");
    first.activate(queue, "\"entryIntervalSeconds\":1").is(200);
    await().until(() -> first.status(queue, "ben").text("status").equals("WAITING"));
    await().until(() -> first.status(queue, "ann").text("status").equals("ENTERED"));
    giveBack(second, first.status(queue, "ann").text("pass"), "").isProblem(409, "no-more-returns");
    giveBack(second, pass, "").isProblem(403, "S806");
  }

  /** Every pass of a turn that is over is refused, whatever end it says. */
  private static void comesBackAndIsDone(TestServer first, TestServer second) {
    String queue = "CONCERT/5";
    first.activate(queue, "\"maxCapacity\":3,\"passTtlSeconds\":900,\"retrySeconds\":60").is(201);
    for (String user : List.of("ann", "ben", "cho")) {
      first.enter(queue, user).is(201);
      await().until(() -> second.status(queue, user).text("status").equals("ENTERED"));
      String pass = second.pass(queue, user);
      String path = "/queue/" + queue + "/return";
      String again =
          first.client().post(path, "Authorization", "Bearer " + pass).is(200).text("pass");
      assertThat(again).isNotEqualTo(pass);
      assertThat(check(second, queue, again)).isEqualTo(204);
      assertThat(check(first, queue, pass)).isEqualTo(204);

      switch (user) {
        case "ann" -> first.complete(queue, again).is(200);
        case "ben" -> first.leave(queue, user).is(200);
        default -> first.with(again, "POST", path, "{\"giveUp\":true}").is(200);
      }

      areRefused(first, second, queue, pass, again);
    }
    first.activate(queue, "\"retrySeconds\":1").is(200);
    first.enter(queue, "dan").is(201);
    await().until(() -> second.status(queue, "dan").text("status").equals("ENTERED"));
    String pass = second.pass(queue, "dan");
    String path = "/queue/" + queue + "/return";
    String again =
        first.client().post(path, "Authorization", "Bearer " + pass).is(200).text("pass");
    // It is over within a second or two, and dan is inside again, with another turn.
    await()
        .until(
            () -> {
              Object now = second.status(queue, "dan").json().get("pass");
              return now != null && !now.equals(pass) && !now.equals(again);
            });
    areRefused(first, second, queue, pass, again);
  }

  private static void areRefused(
      TestServer first, TestServer second, String queue, String... passes) {
    for (TestServer gate : List.of(first, second)) {
      for (String pass : passes) {
        await()
            .atMost(Duration.ofSeconds(5))
            .until(() -> check(gate, queue, pass), Integer.valueOf(401)::equals);
      }
    }
  }

  private static int check(TestServer server, String queue, String pass) {
    return server
        .client()
        .get("/gate/check?queue=" + queue, "Authorization", "Bearer " + pass)
        .status();
  }

  private static Answer giveBack(TestServer server, String pass, String body) {
    String path = "/queue/CONCERT/4/return";
    return body.isEmpty()
        ? server.client().post(path, "Authorization", "Bearer " + pass)
        : server.with(pass, "POST", path, body);
  }

  private static Answer push(TestServer server, long version, String pools) {
    return server.admin(
        "POST",
        "/admin/queue/stock",
        "{\"eventType\":\"CONCERT\",\"eventId\":\"3\",\"version\":%d,\"pools\":[%s]}"
            .formatted(version, pools));
  }

  private static void act(TestServer server, String act) {
    server
        .admin("POST", "/admin/queue/" + act, "{\"eventType\":\"CONCERT\",\"eventId\":\"1\"}")
        .is(200);
  }

  /** Reads boards until it is this one. */
  private static Answer see(EventStream stream, Predicate<Answer> isIt) throws Exception {
    Answer board;
    do {
      board =
          new Answer(
              200, Map.of(), requireNonNull(stream.nextBoard(PATIENCE), "no more boards").data());
    } while (!isIt.test(board));
    return board;
  }
}
