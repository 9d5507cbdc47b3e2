package io.naru.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.testkit.EventStream;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What Prometheus and operators are told, on a port that is not the visitors'. */
@Tag("process")
class MetricsTest {

  @TempDir private static Path data;
  private static RedisServer redis;
  private static TestServer server;
  private static Client management;

  @BeforeAll
  static void start() {
    redis = RedisServer.start(RedisBinary.embedded());
    server = TestServer.start(TestServer.config(data, redis.uri()));
    management = new Client(server.managementPort());
  }

  @AfterAll
  static void stop() {
    management.close();
    server.close();
    redis.close();
  }

  @Test
  void metrics_tellWhatHappened() {
    String queue = "TIMEDEAL/1";
    String label = "{queue=\"TIMEDEAL/1\"}";
    double joins = scrape().getOrDefault("naru_batch_size_sum{operation=\"join\"}", 0.0);
    server
        .activate(queue, "\"maxCapacity\":2,\"entryBatchSize\":2,\"entryIntervalSeconds\":3600")
        .is(201);
    for (String user : new String[] {"ann", "ben", "cho", "dan"}) {
      server.enter(queue, user).is(201);
    }
    await().until(() -> server.status(queue, "ben").text("status").equals("ENTERED"));
    server.leave(queue, "dan").is(200);
    server.complete(queue, server.status(queue, "ann").text("pass")).is(200);

    await()
        .untilAsserted(
            () ->
                assertThat(scrape())
                    .containsEntry("naru_queue_size" + label, 1.0)
                    .containsEntry("naru_inside" + label, 1.0)
                    .containsEntry("naru_joined_total" + label, 4.0)
                    .containsEntry("naru_processed_total" + label, 2.0)
                    .containsEntry("naru_completed_total" + label, 1.0)
                    .containsEntry("naru_left_total" + label, 1.0)
                    .containsEntry("naru_expired_total" + label, 0.0)
                    .containsEntry("naru_wait_seconds_count" + label, 2.0)
                    // Known a moment later: by the look at all queues, once a second.
                    .containsEntry("naru_capacity" + label, 2.0));
    Map<String, Double> metrics = scrape();
    assertThat(metrics).containsKey("naru_longest_wait_seconds" + label);
    assertThat(metrics)
        .containsEntry("naru_wait_seconds_bucket{queue=\"TIMEDEAL/1\",le=\"+Inf\"}", 2.0)
        .containsKey("naru_wait_seconds_bucket{queue=\"TIMEDEAL/1\",le=\"60.0\"}");
    for (String operation : new String[] {"join", "locate", "admit", "leave", "complete", "edit"}) {
      String tag = "{operation=\"" + operation + "\"}";
      assertThat(metrics.get("naru_redis_seconds_count" + tag)).as(operation).isPositive();
    }
    assertThat(metrics.get("naru_batch_size_sum{operation=\"join\"}")).isEqualTo(joins + 4);
    assertThat(metrics.get("naru_batch_size_count{operation=\"join\"}")).isBetween(1.0, joins + 4);
    metrics.forEach(
        (name, value) -> {
          if (name.startsWith("naru_errors")) {
            assertThat(value).as(name).isZero();
          }
        });
    assertThat(metrics)
        .containsKey("naru_errors_total{type=\"timeout\"}")
        .containsEntry("naru_capacity" + label, 2.0)
        .containsEntry("naru_allowed_rate" + label, 2.0 / 3600)
        .containsEntry("naru_signals_total" + label, 0.0)
        .containsEntry("naru_paused" + label, 0.0)
        .containsEntry("naru_deciding", 1.0)
        .containsEntry("naru_queues_interrupted", 0.0);
    assertThat(metrics.get("naru_data_free_bytes")).isPositive();
    assertThat(metrics.get("naru_data_size_bytes"))
        .isGreaterThanOrEqualTo(metrics.get("naru_data_free_bytes"));
  }

  @Test
  void waits_ofThoseLetInByHand_areSeen() {
    String queue = "TIMEDEAL/byhand";
    server.activate(queue, "\"entryBatchSize\":1,\"entryIntervalSeconds\":3600").is(201);
    for (String user : new String[] {"ann", "ben", "cho"}) {
      server.enter(queue, user).is(201);
    }
    await().until(() -> server.status(queue, "ann").text("status").equals("ENTERED"));
    await().until(() -> scrape().containsKey("naru_inside{queue=\"TIMEDEAL/byhand\"}"));

    server.process(queue, 2).is(200);

    assertThat(scrape()).containsEntry("naru_wait_seconds_count{queue=\"TIMEDEAL/byhand\"}", 3.0);
    server.deactivate(queue).is(200);
    await().until(() -> scrape().getOrDefault("naru_paused{queue=\"TIMEDEAL/byhand\"}", 0.0) == 1);
  }

  /** Nobody is alarmed by an evening that has not begun, or by stock that is gone. */
  @Test
  void held_saysByWhatNobodyIsLetIn(@TempDir Path other) {
    try (var own = TestServer.onMemory(other);
        var its = new Client(own.managementPort())) {
      own.activate("HELD/none", "").is(201);
      own.activate("HELD/operator", "").is(201);
      own.admin("POST", "/admin/queue/pause", TestServer.named("HELD/operator", "")).is(200);
      own.activate("HELD/schedule", "\"notBefore\":\"2099-01-01T00:00:00Z\"").is(201);
      own.activate("HELD/stock", "\"stock\":{\"perVisitor\":1}").is(201);

      await().until(() -> scrape(its).containsKey(held("stock", "stock")));
      await().until(() -> scrape(its).getOrDefault(held("operator", "operator"), 0.0) == 1);
      Map<String, Double> metrics = scrape(its);
      for (String queue : List.of("none", "operator", "schedule", "stock")) {
        for (String by : List.of("operator", "store", "schedule", "draw", "stock")) {
          assertThat(metrics).containsEntry(held(queue, by), queue.equals(by) ? 1.0 : 0.0);
        }
      }
    }
  }

  private static String held(String queue, String by) {
    return "naru_held{by=\"%s\",queue=\"HELD/%s\"}".formatted(by, queue);
  }

  @Test
  void streams_askedForAndFailed_areCounted() throws Exception {
    String queue = "TIMEDEAL/streams";
    server.activate(queue, "\"maxCapacity\":1").is(201);
    server.enter(queue, "ann").is(201);
    String token = server.enter(queue, "ben").is(201).text("entryToken");
    double before = scrape().getOrDefault("naru_streams_asked_total", -1.0);
    try (var stream = EventStream.open(server.port(), "/queue/" + queue + "/subscribe/" + token)) {
      stream.next(Duration.ofSeconds(10));
      assertThat(scrape())
          .containsEntry("naru_streams_asked_total", before + 1)
          .containsEntry("naru_streams_failed_total{reason=\"unavailable\"}", 0.0)
          .containsEntry("naru_streams_failed_total{reason=\"full\"}", 0.0)
          .containsEntry("naru_streams_failed_total{reason=\"slow\"}", 0.0);
    }
  }

  @Test
  void metrics_ofADeletedQueue_areGone() {
    server.activate("TIMEDEAL/gone", "").is(201);
    await().until(() -> scrape().containsKey("naru_inside{queue=\"TIMEDEAL/gone\"}"));

    server.admin("DELETE", "/admin/queues/TIMEDEAL/gone?confirm=TIMEDEAL/gone", "");

    await()
        .until(() -> scrape().keySet().stream().noneMatch(name -> name.contains("TIMEDEAL/gone")));
  }

  @Test
  void metrics_ofManyQueues_areThoseOfTheBusiestAndSums(@TempDir Path other) {
    var all = TestServer.onSqlite(other);
    var config =
        new Naru.Config(
            0,
            all.bind(),
            other,
            null,
            all.ledger(),
            TestServer.KEY,
            TestServer.SITE_KEY,
            all.visitors(),
            new Naru.Watching(Naru.Watching.LOOPBACK, 0, 3),
            all.poll(),
            all.keys());
    try (var many = TestServer.start(config);
        var of = new Client(many.managementPort())) {
      for (int i = 0; i < 20; i++) {
        many.activate("MANY/q" + i, "\"maxCapacity\":1").is(201);
        for (int user = 0; user <= i % 10; user++) {
          many.enter("MANY/q" + i, "user" + user).is(201);
        }
      }

      await()
          .untilAsserted(
              () ->
                  assertThat(scrape(of))
                      .containsEntry("naru_queues", 20.0)
                      .containsEntry("naru_all_joined_total", 110.0)
                      .containsEntry("naru_all_inside", 20.0)
                      .containsEntry("naru_all_size", 90.0)
                      .containsEntry("naru_all_wait_seconds_count", 20.0)
                      .containsEntry("naru_queue_size{queue=\"MANY/q9\"}", 9.0));
      assertThat(queuesIn(scrape(of))).containsExactlyInAnyOrder("MANY/q9", "MANY/q19", "MANY/q18");

      for (int user = 0; user < 10; user++) {
        many.leave("MANY/q9", "user" + user).is(200);
      }

      await().until(() -> !queuesIn(scrape(of)).contains("MANY/q9"));
      assertThat(queuesIn(scrape(of))).containsExactlyInAnyOrder("MANY/q19", "MANY/q18", "MANY/q8");
    }
  }

  private static Set<String> queuesIn(Map<String, Double> metrics) {
    return metrics.keySet().stream()
        .filter(name -> name.contains("queue=\""))
        .map(name -> name.replaceAll(".*queue=\"([^\"]*)\".*", "$1"))
        .collect(Collectors.toSet());
  }

  @Test
  void health_hasDetailsForOperators() {
    await().until(() -> management.get("/health").status() == 200);

    Answer health = management.get("/health").is(200);

    assertThat(health.json())
        .containsOnlyKeys("status", "sinceSeconds", "line", "ledger")
        .containsEntry("status", "UP")
        .hasEntrySatisfying("ledger", l -> assertThat(l).asString().startsWith("none"));
    assertThat(health.text("line")).startsWith("Redis 7").contains("append-only file off");
    assertThat(health.field("sinceSeconds")).isInstanceOf(Integer.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/metrics", "/health"})
  void management_isNotPublic(String path) {
    server.client().get(path).isProblem(404, "not-found");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/queue/TIMEDEAL/1/status", "/admin/queues", "/health/live", "/"})
  void publicRoutes_areNotOnTheManagementPort(String path) {
    management
        .get(path, "User-Id", "ann", "Authorization", "Bearer " + TestServer.KEY)
        .isProblem(404, "not-found");
  }

  private static Map<String, Double> scrape() {
    return scrape(management);
  }

  private static Map<String, Double> scrape(Client of) {
    Answer answer = of.get("/metrics");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("content-type")).startsWith("text/plain; version=0.0.4");
    Map<String, Double> values = new TreeMap<>();
    for (String line : answer.body().lines().filter(l -> !l.startsWith("#")).toList()) {
      int space = line.lastIndexOf(' ');
      values.put(line.substring(0, space), Double.valueOf(line.substring(space + 1)));
    }
    return values;
  }
}
