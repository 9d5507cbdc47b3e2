package io.naru.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.naru.kafka.KafkaConfig;
import io.naru.queue.Json;
import io.naru.testkit.KafkaServer;
import io.naru.testkit.KafkaTopic;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server with a Kafka behind it. */
@Tag("process")
class KafkaTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String QUEUE = "SALE/1";

  @SuppressWarnings("NullAway.Init")
  private static KafkaServer kafka;

  @TempDir private Path data;

  @BeforeAll
  static void startKafka() {
    kafka = KafkaServer.start();
  }

  @AfterAll
  static void stopKafka() {
    kafka.close();
  }

  private static List<Map<String, @Nullable Object>> events(String topic) {
    return KafkaTopic.read(kafka.brokers(), topic).stream()
        .map(record -> Json.readObject(new String(record.value(), UTF_8)))
        .toList();
  }

  @Test
  void whatHappens_goesOut_andCommandsComeIn() throws Exception {
    KafkaTopic.make(kafka.brokers(), "commands", Map.of());
    KafkaTopic.make(kafka.brokers(), "commands.rejected", Map.of());
    var to = new KafkaConfig(kafka.brokers(), "events", "commands", Map.of());
    try (var server = TestServer.start(TestServer.withKafka(TestServer.onSqlite(data), to));
        var management = new Client(server.managementPort())) {
      await()
          .atMost(PATIENCE)
          .until(() -> management.get("/metrics").body().contains("naru_kafka_lag_seconds"));
      server.activate(QUEUE, "\"entryIntervalSeconds\":3600,\"stock\":{}").is(201);
      server.enter(QUEUE, "ann").is(201);
      server
          .admin(
              "POST",
              "/admin/queue/stock",
              TestServer.named(
                  QUEUE, "\"version\":1,\"pools\":[{\"name\":\"a\",\"remaining\":5,\"held\":0}]"))
          .is(200);
      server.process(QUEUE, 1).is(200);
      await()
          .atMost(PATIENCE)
          .until(() -> management.get("/metrics").body().contains("naru_kafka_events_total 4.0"));
      List<Map<String, @Nullable Object>> events = events("events");
      assertThat(events)
          .extracting(event -> event.get("kind"))
          .containsExactly("changed", "opened", "resumed", "entered");
      Map<String, @Nullable Object> entered = events.getLast();

      KafkaTopic.write(
          kafka.brokers(),
          "commands",
          "{no json".getBytes(UTF_8),
          command(
              "complete",
              "SALE/none",
              "\"user\":\"x\",\"joinedAt\":\"" + entered.get("joinedAt") + "\""),
          command("refund", QUEUE, ""),
          command("stock", "SALE/none", "\"version\":1,\"pools\":[]"),
          command(
              "stock",
              QUEUE,
              "\"version\":7,\"pools\":[{\"name\":\"a\",\"remaining\":0,\"held\":0}]"),
          command("signal", QUEUE, "\"source\":\"s\",\"count\":1,\"errors\":0,\"p95Millis\":5"),
          command(
              "complete",
              QUEUE,
              "\"user\":\"ann\",\"joinedAt\":\"" + entered.get("joinedAt") + "\""));

      await()
          .atMost(PATIENCE)
          .until(() -> server.status(QUEUE, "ann").is(200).text("status").equals("COMPLETED"));
      await().atMost(PATIENCE).until(() -> events("events").size() == 6);
      assertThat(events("events"))
          .extracting(event -> event.get("kind"))
          .contains("sold-out", "completed");
      await()
          .atMost(PATIENCE)
          .until(() -> KafkaTopic.read(kafka.brokers(), "commands.rejected").size() == 4);
      List<ConsumerRecord<String, byte[]>> rejected =
          KafkaTopic.read(kafka.brokers(), "commands.rejected");
      assertThat(rejected)
          .extracting(record -> KafkaTopic.header(record, "naru-reason"))
          .anyMatch(reason -> reason.contains("not valid JSON"))
          .anyMatch(reason -> reason.contains("complete, stock or signal"))
          .anyMatch(reason -> reason.contains("nobody is inside SALE/none"));
    }
  }

  private static byte[] command(String kind, String queue, String more) {
    return TestServer.named(queue, "\"kind\":\"" + kind + "\"" + (more.isEmpty() ? "" : "," + more))
        .getBytes(UTF_8);
  }

  @Test
  void broker_thatIsAway_isADetailOfHealth_andTheLineWorks() {
    var away = TestServer.withKafka(TestServer.onSqlite(data), TestServer.NO_KAFKA);
    try (var server = TestServer.start(away);
        var management = new Client(server.managementPort())) {
      server.activate(QUEUE, "").is(201);
      server.enter(QUEUE, "ann").is(201);

      await()
          .atMost(PATIENCE)
          .until(() -> management.get("/health").body().contains("Kafka gets no events"));
      server.enter(QUEUE, "ben").is(201);
      assertThat(server.client().get("/health/ready").is(200).body()).contains("UP");
    }
  }

  @Test
  void redisAlone_hasNoEvents() {
    try (RedisServer redis = RedisServer.start(RedisBinary.embedded())) {
      Naru.Config config = TestServer.config(data, redis.uri());
      var to = new KafkaConfig(kafka.brokers(), "events", null, Map.of());
      assertThatThrownBy(() -> TestServer.start(TestServer.withKafka(config, to)).close())
          .isInstanceOf(StartFailure.class)
          .hasMessageContaining("--kafka: needs a ledger");
      try (var server = TestServer.start(config)) {
        assertThat(server.activate(QUEUE, "\"events\":[]").isProblem(422, "needs-ledger").body())
            .contains("events");
      }
    }
  }
}
