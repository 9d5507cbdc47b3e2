package io.naru.server;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.queue.Queues;
import io.naru.testkit.EventStream;
import io.naru.testkit.EventStream.Event;
import io.naru.testkit.StrictJson;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The figures that consoles watch: new every second, read once for all of them. */
class LiveTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @TempDir private static Path data;

  private static TestServer server;

  /** How often each queue was read. */
  private static final Map<Object, AtomicInteger> READS = new ConcurrentHashMap<>();

  @BeforeAll
  static void start() {
    var wrapping =
        new Wrapping(LiveTest::counting, UnaryOperator.identity(), UnaryOperator.identity());
    server = TestServer.start(TestServer.onSqlite(data), wrapping);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static Queues counting(Queues queues) {
    return (Queues)
        Proxy.newProxyInstance(
            LiveTest.class.getClassLoader(),
            new Class<?>[] {Queues.class},
            (_, method, arguments) -> {
              if (method.getName().equals("find")) {
                READS
                    .computeIfAbsent("" + arguments[0], _ -> new AtomicInteger())
                    .incrementAndGet();
              }
              try {
                return method.invoke(queues, arguments);
              } catch (InvocationTargetException e) {
                throw requireNonNull(e.getCause());
              }
            });
  }

  private static int reads(String queue) {
    return READS.getOrDefault(queue, new AtomicInteger()).get();
  }

  private static EventStream watch(String queue) {
    return watch(queue, "Authorization", "Bearer " + TestServer.KEY);
  }

  private static EventStream watch(String queue, String header, String value) {
    return EventStream.open(server.port(), "/admin/queues/" + queue + "/live", header, value);
  }

  private static Map<String, @Nullable Object> figures(EventStream stream)
      throws InterruptedException {
    Event event = requireNonNull(stream.next(PATIENCE));
    assertThat(event.name()).isEqualTo("figures");
    return StrictJson.object(event.data());
  }

  @Test
  void tenConsoles_areOneReadASecond_andNoneIsNone() throws Exception {
    String queue = "LIVE/ten";
    server.activate(queue, "").is(201);
    List<EventStream> consoles = new ArrayList<>();
    int before = reads(queue);
    for (int i = 0; i < 10; i++) {
      consoles.add(watch(queue));
    }
    int seen = 0;
    for (; seen < 3; seen++) {
      for (EventStream console : consoles) {
        figures(console);
      }
    }

    // Another beat may have come meanwhile, and consoles that opened between two of them saw less.
    assertThat(reads(queue) - before).isBetween(seen - 1, seen + 2);

    consoles.forEach(EventStream::close);
    String other = "LIVE/other";
    server.activate(other, "").is(201);
    try (EventStream console = watch(other)) {
      await()
          .until(
              () -> {
                // Three more beats, and it was read in none of them.
                int now = reads(queue);
                figures(console);
                figures(console);
                figures(console);
                return reads(queue) == now;
              });
    }
  }

  @Test
  void figures_sayHowItMovesAndWhatHoldsItUp() throws Exception {
    String queue = "LIVE/moves";
    server.activate(queue, "\"maxCapacity\":1,\"entryBatchSize\":5").is(201);
    try (EventStream console = watch(queue)) {
      assertThat(figures(console).get("boundBy")).isEqualTo("nobody");
      server.enter(queue, "ann").is(201);
      server.enter(queue, "ben").is(201);
      await().until(() -> "capacity".equals(figures(console).get("boundBy")));
      Map<?, ?> now = figures(console);
      assertThat(((Map<?, ?>) requireNonNull(now.get("figures"))).get("waiting")).isEqualTo(1);
      assertThat(((Number) rates(now, "joined")).doubleValue()).isPositive();

      server.deactivate(queue).is(200);
      await().until(() -> "paused".equals(figures(console).get("boundBy")));
      String path = "/admin/queues/" + queue;
      assertThat(server.admin("DELETE", path + "?confirm=" + queue, "").status()).isEqualTo(204);
      assertThat(lastOf(console).name()).isEqualTo("gone");
      assertThat(console.ends(PATIENCE)).isTrue();
    }
  }

  /** What the operator allows is one thing, and what visitors find another. */
  @Test
  void stateNow_isWhatVisitorsFind() throws Exception {
    String queue = "LIVE/early";
    server.activate(queue, "\"opensAt\":\"2099-01-01T00:00:00Z\"").is(201);
    try (EventStream console = watch(queue)) {
      assertThat(figures(console))
          .containsEntry("state", "OPEN")
          .containsEntry("stateNow", "CLOSED")
          .containsEntry("boundBy", "schedule");
      server.activate(queue, "\"opensAt\":null").is(200);
      await().until(() -> "OPEN".equals(figures(console).get("stateNow")));
      server.activate(queue, "\"closesAt\":\"2020-01-01T00:00:00Z\"").is(200);
      await().until(() -> "CLOSED".equals(figures(console).get("stateNow")));
      assertThat(figures(console)).containsEntry("state", "OPEN");
    }
  }

  /** Who looks at all queues at once finds the same of each as on its own screen. */
  @Test
  void list_saysWhatVisitorsFind() {
    server.activate("LISTED/early", "\"opensAt\":\"2099-01-01T00:00:00Z\"").is(201);
    server.activate("LISTED/sold", "\"stock\":{}").is(201);
    String none = "\"version\":1,\"pools\":[{\"name\":\"A\",\"remaining\":0,\"held\":2}]";
    server.admin("POST", "/admin/queue/stock", TestServer.named("LISTED/sold", none)).is(200);

    assertThat(listed("LISTED/early"))
        .containsEntry("stateNow", "CLOSED")
        .containsEntry("pausedBy", "schedule")
        .containsKey("at")
        .doesNotContainKey("stockNow");
    assertThat(listed("LISTED/sold"))
        .containsEntry("stateNow", "OPEN")
        .containsEntry("pausedBy", "stock")
        .containsEntry("stockNow", "paying");
    server.activate("LISTED/early", "\"opensAt\":null").is(200);
    assertThat(listed("LISTED/early"))
        .containsEntry("stateNow", "OPEN")
        .doesNotContainKey("pausedBy");
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> listed(String queue) {
    Answer answer = server.admin("GET", "/admin/queues?limit=1000", "").is(200);
    List<?> queues = (List<?>) requireNonNull(answer.json().get("queues"));
    return queues.stream()
        .map(one -> (Map<String, Object>) one)
        .filter(one -> queue.equals(one.get("eventType") + "/" + one.get("eventId")))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void rate_thatFollows_comesWithHowTheSiteDoes() throws Exception {
    String queue = "LIVE/follows";
    server.activate(queue, "\"adaptive\":{\"floorPerSecond\":1,\"ceilingPerSecond\":2}").is(201);
    String said = "\"source\":\"a\",\"count\":200,\"errors\":1,\"p95Millis\":181.5";
    try (EventStream console = watch(queue)) {
      assertThat(rate(figures(console))).doesNotContainKeys("p95Millis", "errorPercent");
      await()
          .until(
              () -> {
                server.admin("POST", "/admin/queue/signal", TestServer.named(queue, said)).is(202);
                return rate(figures(console)).get("p95Millis") != null;
              });
      assertThat(rate(figures(console)))
          .containsEntry("p95Millis", 181.5)
          .containsEntry("errorPercent", 0.5);
    }
  }

  /** A few an hour are a rate as well, and visitors divide by it. */
  @Test
  void rate_ofOneAnHour_isNotNothing() throws Exception {
    String queue = "LIVE/slow";
    server.activate(queue, "\"entryBatchSize\":1,\"entryIntervalSeconds\":3600").is(201);
    try (EventStream console = watch(queue)) {
      assertThat(rate(figures(console))).containsEntry("perSecond", 0.00027778);
    }
    assertThat(server.admin("GET", "/admin/queues/" + queue + "/rate", "").is(200).body())
        .contains("\"ratePerSecond\":0.00027778,");
    assertThat(server.client().get("/queue/" + queue + "/board").is(200).body())
        .contains("\"ratePerSecond\":0.00027778,");
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> rate(Map<?, ?> figures) {
    return (Map<String, Object>) requireNonNull(figures.get("rate"));
  }

  private static Object rates(Map<?, ?> figures, String name) {
    return requireNonNull(((Map<?, ?>) requireNonNull(figures.get("ratePerSecond"))).get(name));
  }

  @Test
  void keyRevoked_itsStreamsEnd_alsoThoseOfItsSessions() throws Exception {
    String queue = "LIVE/revoked";
    server.activate(queue, "").is(201);
    String wanted = "{\"name\":\"desk\",\"role\":\"viewer\",\"queues\":[\"" + queue + "\"]}";
    Answer made = server.admin("POST", "/admin/access-keys", wanted).is(201);
    String key = made.text("key");
    String cookie = requireNonNull(session(key).header("set-cookie")).split(";", 2)[0];
    try (EventStream byKey = watch(queue, "Authorization", "Bearer " + key);
        EventStream bySession = watch(queue, "Cookie", cookie);
        EventStream another = watch("LIVE/ten", "Cookie", cookie)) {
      figures(byKey);
      figures(bySession);
      assertThat(another.status()).isEqualTo(403);

      String path = "/admin/access-keys/" + made.text("id");
      assertThat(server.admin("DELETE", path, "").status()).isEqualTo(204);

      for (EventStream console : List.of(byKey, bySession)) {
        assertThat(lastOf(console).name()).isEqualTo("signed-out");
        assertThat(console.ends(PATIENCE)).isTrue();
      }
    }
  }

  private static Answer session(String key) {
    return server
        .client()
        .send(
            "POST",
            "/console/session",
            BodyPublishers.ofString("{\"key\":\"" + key + "\"}"),
            "Content-Type",
            "application/json",
            "Origin",
            "http://127.0.0.1:" + server.port());
  }

  private static Event lastOf(EventStream console) throws InterruptedException {
    Event last = requireNonNull(console.next(PATIENCE));
    for (int seconds = 0; last.name().equals("figures") && seconds < 10; seconds++) {
      last = requireNonNull(console.next(PATIENCE));
    }
    return last;
  }

  @Test
  void noSuchQueue_is404() {
    server.admin("GET", "/admin/queues/LIVE/nowhere/live", "").isProblem(404, "S801");
  }

  @Test
  void tooManyConsoles_areToldToAskInstead() {
    String queue = "LIVE/many";
    server.activate(queue, "").is(201);
    List<EventStream> consoles = new ArrayList<>();
    try {
      EventStream last = watch(queue);
      while (last.status() == 200 && consoles.size() < 300) {
        consoles.add(last);
        last = watch(queue);
      }

      assertThat(consoles).hasSizeBetween(180, 200);
      assertThat(last.status()).isEqualTo(503);
      assertThat(last.header("retry-after")).isNotEmpty();
    } finally {
      consoles.forEach(EventStream::close);
    }
    await()
        .until(
            () -> {
              try (EventStream again = watch(queue)) {
                return again.status() == 200;
              }
            });
  }
}
