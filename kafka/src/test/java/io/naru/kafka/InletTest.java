package io.naru.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.CompletableFuture.completedFuture;
import static java.util.concurrent.CompletableFuture.failedFuture;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.testkit.KafkaServer;
import io.naru.testkit.KafkaTopic;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("process")
class InletTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final KafkaServer kafka = KafkaServer.shared();

  private final String ledger = UUID.randomUUID().toString();
  private final String commands = "commands-" + ledger;
  private final KafkaConfig config = new KafkaConfig(kafka.brokers(), "events", commands, Map.of());
  private final List<String> applied = new CopyOnWriteArrayList<>();
  private final AtomicInteger refusals = new AtomicInteger();

  private CompletionStage<Optional<String>> apply(byte[] body) {
    String text = new String(body, UTF_8);
    if (text.startsWith("poison")) {
      return completedFuture(Optional.of("it is poison"));
    }
    if (text.startsWith("later") && refusals.getAndIncrement() == 0) {
      return failedFuture(new IllegalStateException("the ledger is away"));
    }
    applied.add(text);
    return completedFuture(Optional.empty());
  }

  @Test
  void poison_isSetAsideWithTheReason_andTheRestGoesOn() throws Exception {
    KafkaTopic.make(kafka.brokers(), commands, Map.of("max.message.bytes", "20000000"));
    KafkaTopic.make(kafka.brokers(), config.rejected(), Map.of());
    try (var inlet = new Inlet(config, ledger, this::apply)) {
      inlet.start();
      KafkaTopic.write(
          kafka.brokers(),
          commands,
          "one".getBytes(UTF_8),
          "poison 1".getBytes(UTF_8),
          new byte[10_000_000],
          "later".getBytes(UTF_8),
          new byte[0],
          "two".getBytes(UTF_8));

      await().atMost(PATIENCE).until(() -> applied.size() >= 3 && inlet.rejected() == 3);
      assertThat(applied).containsExactlyInAnyOrder("one", "later", "two");
      assertThat(inlet.applied()).isEqualTo(3);
    }
    List<ConsumerRecord<String, byte[]>> rejected =
        KafkaTopic.read(kafka.brokers(), config.rejected());
    assertThat(rejected)
        .extracting(record -> KafkaTopic.header(record, "naru-reason"))
        .containsExactlyInAnyOrder(
            "it is poison", "it has 10000000 bytes, at most 16384 are read", "it is empty");
    assertThat(rejected).allMatch(record -> record.value().length <= 1_024);
    assertThat(rejected)
        .extracting(record -> KafkaTopic.header(record, "naru-from"))
        .contains(commands + "/0/1");

    // What was committed does not come again; and where nothing can be set aside, the rest goes on.
    applied.clear();
    try (var inlet = new Inlet(config, ledger, this::apply)) {
      inlet.start();
      KafkaTopic.write(kafka.brokers(), commands, "three".getBytes(UTF_8));
      await().atMost(PATIENCE).until(() -> !applied.isEmpty());
      assertThat(applied).containsExactly("three");
    }
  }

  @Test
  void topic_thatIsNotThere_isSaidUntilItIs() throws Exception {
    try (var inlet = new Inlet(config, ledger, this::apply)) {
      inlet.start();
      await().atMost(PATIENCE).until(() -> !inlet.troubles().isEmpty());
      assertThat(inlet.troubles().toString()).contains("create " + commands);
      KafkaTopic.make(kafka.brokers(), commands, Map.of());
      KafkaTopic.write(kafka.brokers(), commands, "poison".getBytes(UTF_8), "one".getBytes(UTF_8));

      await().atMost(PATIENCE).until(() -> applied.contains("one"));
      await().atMost(PATIENCE).until(() -> inlet.troubles().isEmpty());
      assertThat(inlet.rejected()).isEqualTo(1);
    }
  }
}
