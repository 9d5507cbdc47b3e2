package io.naru.server;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.testkit.OpenApi;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What visitors and operators are told where it matters who is there. */
class PresenceApiTest {

  private static final int GRACE_SECONDS = 30;
  private static final MovableClock CLOCK = new MovableClock();
  private static final AtomicInteger QUEUES = new AtomicInteger();
  private static TestServer server;

  private final String queue = "SALE/absent" + QUEUES.incrementAndGet();

  @BeforeAll
  static void start(@TempDir Path data) {
    server = TestServer.start(TestServer.config(data, null), CLOCK);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  /** One is inside, and the others wait. */
  private void open(String more, String... users) {
    server
        .activate(
            queue,
            "\"maxCapacity\":1,\"entryBatchSize\":1,\"entryIntervalSeconds\":1,"
                + "\"passTtlSeconds\":3600,\"absenceGraceSeconds\":"
                + GRACE_SECONDS
                + more)
        .is(201);
    server.enter(queue, "first").is(201);
    awaitEntered("first");
    for (String user : users) {
      server.enter(queue, user).is(201);
    }
  }

  private void awaitEntered(String user) {
    await().until(() -> server.status(queue, user).text("status").equals("ENTERED"));
  }

  /** For a while these ask where they stand, and nobody else does. */
  private void watch(int seconds, String... users) {
    for (int i = 0; i < seconds; i++) {
      look(users);
      CLOCK.advance(Duration.ofSeconds(1));
    }
    look(users);
  }

  private void look(String... users) {
    for (String user : users) {
      server.status(queue, user);
    }
    server.look();
  }

  private Object figure(String name) {
    Answer answer = server.admin("GET", "/admin/queues/" + queue, "");
    return requireNonNull(OpenApi.map(answer.field("figures"), "figures").get(name));
  }

  private static List<String> codes(Answer person) {
    return OpenApi.list(person.field("explain")).stream()
        .map(why -> String.valueOf(OpenApi.map(why, "explained").get("code")))
        .toList();
  }

  private Answer person(String user) {
    return server.admin("GET", "/admin/queues/" + queue + "/people/" + user, "").is(200);
  }

  @Test
  void whoIsNotThere_isPassedOver_andToldSoWhenBack() {
    open("", "ann", "ben");
    watch(14, "ben");
    Answer waiting = server.status(queue, "ben").is(200);
    assertThat(waiting.field("absenceGraceSeconds")).isEqualTo(GRACE_SECONDS);
    assertThat(waiting.body()).doesNotContain("passedOver");
    assertThat(waiting.header("Retry-After")).isIn("1", "2", "3", "4");

    server.leave(queue, "first").is(200);
    awaitEntered("ben");

    assertThat(figure("absent")).isEqualTo(1);
    Answer person = person("ann");
    assertThat(codes(person)).contains("absent");
    assertThat(server.status(queue, "ann").is(200).field("position")).isEqualTo(1);
    server.look();
    Answer back = server.status(queue, "ann").is(200);
    assertThat(back.field("passedOver")).isEqualTo(true);
    assertThat(server.client().get("/wait/" + queue + "/place", "User-Id", "ann").body())
        .contains("Welcome back");
    server.leave(queue, "ben").is(200);
    awaitEntered("ann");
  }

  @Test
  void whoDoesNotComeInTime_isToldWhy() {
    open(",\"onExpiry\":\"REQUEUE\"", "ann", "ben");
    watch(14, "ben");
    server.leave(queue, "first").is(200);
    awaitEntered("ben");

    watch(GRACE_SECONDS, "ben");
    await().until(() -> figure("waiting").equals(0));

    Answer gone = server.status(queue, "ann").isProblem(410, "S804");
    assertThat(OpenApi.map(gone.field("entry"), "entry").get("reason")).isEqualTo("absent");
    assertThat(server.client().get("/wait/" + queue + "/place", "User-Id", "ann").body())
        .contains("Your place has been given up");
    assertThat(codes(person("ann"))).contains("absent-over");
    server.enter(queue, "ann").is(201);
  }
}
