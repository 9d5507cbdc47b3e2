package io.naru.server;

import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.ledger.Ledger;
import io.naru.testkit.EventStream;
import io.naru.testkit.PostgresServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two servers on one PostgreSQL without Redis: whatever one of them does, the other shows. */
@Tag("process")
class CopiesOnTwoServersTest {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  @TempDir private static Path one;
  @TempDir private static Path two;
  private static TestServer first;
  private static TestServer second;

  @BeforeAll
  static void start() {
    PostgresServer postgres = PostgresServer.shared();
    var ledger = new Ledger.Config(postgres.fresh(), postgres.user(), postgres.password(), false);
    first = TestServer.start(TestServer.config(one, null, ledger));
    second = TestServer.start(TestServer.config(two, null, ledger));
  }

  @AfterAll
  static void stop() {
    first.close();
    second.close();
  }

  @Test
  void health_saysWhereTheLineIs() {
    try (var management = new Client(second.managementPort())) {
      // Its copies follow a moment after it listens.
      await().atMost(PATIENCE).until(() -> management.get("/health").status() == 200);
      assertThat(management.get("/health").is(200).body())
          .contains("in memory of each server, copies of the ledger");
    }
  }

  @Test
  void enteredAtOne_isShownByTheOtherAtOnce() {
    String queue = open("1");
    for (int i = 0; i < 20; i++) {
      TestServer at = i % 2 == 0 ? first : second;
      TestServer other = i % 2 == 0 ? second : first;
      Answer entered = at.enter(queue, "u" + i).is(201);

      Answer shown = other.status(queue, "u" + i).is(200);
      assertThat(shown.number("position")).isEqualTo(entered.number("position")).isEqualTo(i + 1L);
      assertThat(other.statusByToken(entered.text("entryToken")).is(200).number("position"))
          .isEqualTo(i + 1L);
      other.enter(queue, "u" + i).isProblem(409, "S802");
    }
  }

  @Test
  void leftAtTheOther_placesFollowWithinASecond() {
    String queue = open("2");
    first.enter(queue, "ann").is(201);
    first.enter(queue, "ben").is(201);
    assertThat(first.status(queue, "ben").number("position")).isEqualTo(2);

    second.leave(queue, "ann").is(200);

    await().atMost(1, SECONDS).until(() -> first.status(queue, "ben").number("position") == 1);
    first.status(queue, "ann").isProblem(404, "S803");
  }

  @Test
  void changeBroughtAlong_nothingOlderIsShown() {
    String queue = open("3");
    List<String> tokens = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      tokens.add(first.enter(queue, "u" + i).is(201).text("entryToken"));
    }
    long change = 0;
    long position = 12;
    for (int i = 0; i < 10; i++) {
      (i % 3 == 0 ? second : first).leave(queue, "u" + i).is(200);
      TestServer asked = i % 2 == 0 ? second : first;
      String path = "/queue/token/" + tokens.getLast() + "/status?change=" + change;
      Answer shown = asked.client().get(path).is(200);
      assertThat(shown.number("change")).isGreaterThanOrEqualTo(change);
      assertThat(shown.number("position")).isLessThanOrEqualTo(position);
      change = shown.number("change");
      position = shown.number("position");
    }
    for (String wrong : List.of("-1", "x", "1e3", "1.5", "", "9999999999999999")) {
      String path = "/queue/token/" + tokens.getLast() + "/status?change=" + wrong;
      Answer refused = first.client().get(path);
      refused.isProblem(400, "invalid-value");
      assertThat(refused.text("field")).isEqualTo("change");
    }
  }

  @Test
  void streamAtOne_admittedByTheOther_hearsOfIt() throws Exception {
    String queue = open("4");
    String ann = first.enter(queue, "ann").is(201).text("entryToken");
    String ben = first.enter(queue, "ben").is(201).text("entryToken");
    try (var toAnn = stream(queue, ann);
        var toBen = stream(queue, ben)) {
      assertThat(next(toAnn, "queue-status").data()).contains("\"position\":1");
      assertThat(next(toBen, "queue-status").data()).contains("\"position\":2");

      first.process(queue, 1).is(200);

      assertThat(next(toAnn, "queue-entered").data()).contains("\"pass\"");
      EventStream.Event nearer = next(toBen, "queue-status");
      while (!nearer.data().contains("\"position\":1")) {
        nearer = next(toBen, "queue-status");
      }
    }
    await()
        .atMost(3, SECONDS)
        .until(
            () ->
                second
                    .client()
                    .get("/queue/" + queue + "/board")
                    .is(200)
                    .body()
                    .contains("\"waiting\":1"));
  }

  @Test
  void deletedAtOne_isGoneAtTheOther() {
    String queue = open("5");
    first.enter(queue, "ann").is(201);
    second.status(queue, "ann").is(200);

    Answer deleted = first.admin("DELETE", "/admin/queues/" + queue + "?confirm=" + queue, "");
    assertThat(deleted.status()).isEqualTo(204);

    await().atMost(5, SECONDS).until(() -> second.status(queue, "ann").status() == 404);
  }

  /** Nobody goes in by themselves. */
  private static String open(String id) {
    String queue = "COPIES/" + id;
    first
        .activate(queue, "\"maxCapacity\":1,\"entryBatchSize\":1,\"entryIntervalSeconds\":3600")
        .is(201);
    first.enter(queue, "inside").is(201);
    await().until(() -> second.status(queue, "inside").text("status").equals("ENTERED"));
    String body = "{\"maxCapacity\":1000}";
    first.admin("PUT", "/admin/queues/" + queue, body).is(200);
    return queue;
  }

  private static EventStream stream(String queue, String token) {
    return EventStream.open(second.port(), "/queue/" + queue + "/subscribe/" + token);
  }

  private static EventStream.Event next(EventStream stream, String name) throws Exception {
    EventStream.Event event;
    do {
      event = requireNonNull(stream.next(PATIENCE), "no " + name);
    } while (!event.name().equals(name));
    return event;
  }
}
