package io.naru.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.CompletableFuture.completedFuture;
import static java.util.concurrent.CompletableFuture.failedFuture;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.testkit.KafkaServer;
import io.naru.testkit.KafkaTopic;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("process")
class InletTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** What is to be seen is what happens after them. */
  private static final Pauses SHORT =
      new Pauses(Duration.ofMillis(10), Duration.ofMillis(500), Duration.ofSeconds(1));

  private static final int MAX_WAITING = 1_000;

  private static final KafkaServer kafka = KafkaServer.shared();

  private final String ledger = UUID.randomUUID().toString();
  private final String commands = "commands-" + ledger;
  private final KafkaConfig config = new KafkaConfig(kafka.brokers(), "events", commands, Map.of());
  private final List<String> applied = new CopyOnWriteArrayList<>();
  private final AtomicInteger refusals = new AtomicInteger();

  /** Of those that begin with it nothing is carried out; "" are all. */
  private volatile String inTrouble = "none";

  private volatile Instant lastWritten = Instant.EPOCH;

  private final List<String> failed = new CopyOnWriteArrayList<>();

  private CompletionStage<Optional<String>> apply(byte[] body, Instant written) {
    String text = new String(body, UTF_8);
    lastWritten = written;
    if (text.startsWith("poison")) {
      return completedFuture(Optional.of("it is poison"));
    }
    if (text.startsWith(inTrouble)) {
      failed.add(text);
      return failedFuture(new IllegalStateException("its queue is frozen"));
    }
    if (text.startsWith("later") && refusals.getAndIncrement() == 0) {
      return failedFuture(new IllegalStateException("the ledger is away"));
    }
    applied.add(text);
    return completedFuture(Optional.empty());
  }

  private Inlet inlet(int maxWaiting) {
    return new Inlet(config, ledger, this::apply, maxWaiting, SHORT);
  }

  @Test
  void poison_isSetAsideWithTheReason_andTheRestGoesOn() throws Exception {
    KafkaTopic.make(kafka.brokers(), commands, Map.of("max.message.bytes", "20000000"));
    KafkaTopic.make(kafka.brokers(), config.rejected(), Map.of());
    try (Admin admin = Admin.create(config.admin("test"));
        var inlet = inlet(MAX_WAITING)) {
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
      await().atMost(PATIENCE).until(() -> committed(admin) == 6);
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
    try (var inlet = inlet(MAX_WAITING)) {
      inlet.start();
      KafkaTopic.write(kafka.brokers(), commands, "three".getBytes(UTF_8));
      await().atMost(PATIENCE).until(() -> !applied.isEmpty());
      assertThat(applied).containsExactly("three");
    }
  }

  @Test
  void topic_thatIsNotThere_isSaidUntilItIs() throws Exception {
    Instant started = Instant.now().minusMillis(1);
    try (Admin admin = Admin.create(config.admin("test"));
        var inlet = inlet(MAX_WAITING)) {
      inlet.start();
      await().atMost(PATIENCE).until(() -> !inlet.troubles().isEmpty());
      assertThat(inlet.troubles().toString()).contains("create " + commands);
      KafkaTopic.make(kafka.brokers(), commands, Map.of());
      KafkaTopic.write(kafka.brokers(), commands, "poison".getBytes(UTF_8), "one".getBytes(UTF_8));

      await().atMost(PATIENCE).until(() -> applied.contains("one"));
      await().atMost(PATIENCE).until(() -> inlet.troubles().isEmpty());
      assertThat(inlet.rejected()).isEqualTo(1);
      // Poison is not held where there is no topic to keep it.
      await().atMost(PATIENCE).until(() -> committed(admin) == 2);
      assertThat(lastWritten).isAfter(started).isBefore(Instant.now());
    }
  }

  private void write(String... texts) throws InterruptedException {
    KafkaTopic.write(
        kafka.brokers(),
        commands,
        Arrays.stream(texts).map(text -> text.getBytes(UTF_8)).toArray(byte[][]::new));
  }

  /** Each of them once the one before was carried out or failed, so that no poll brings two. */
  private void writeInTurn(String... texts) throws InterruptedException {
    for (String text : texts) {
      write(text);
      await().atMost(PATIENCE).until(() -> applied.contains(text) || failed.contains(text));
    }
  }

  private long committed(Admin admin) throws Exception {
    OffsetAndMetadata offset =
        admin
            .listConsumerGroupOffsets("naru-" + ledger)
            .partitionsToOffsetAndMetadata()
            .get()
            .get(new TopicPartition(commands, 0));
    return offset == null ? -1 : offset.offset();
  }

  @Test
  void command_ofAQueueInTrouble_holdsUpNoOther_andIsCarriedOutOnceThatIsOver() throws Exception {
    KafkaTopic.make(kafka.brokers(), commands, Map.of());
    inTrouble = "frozen";
    try (var inlet = inlet(MAX_WAITING)) {
      inlet.start();
      writeInTurn("frozen", "one", "two", "three");
      await().atMost(PATIENCE).until(() -> inlet.applied() == 3);
      await().atMost(PATIENCE).until(() -> !inlet.troubles().isEmpty());
      assertThat(inlet.troubles().toString()).contains("wait", ": 1,", "its queue is frozen");

      inTrouble = "none";
      await().atMost(PATIENCE).until(() -> inlet.applied() == 4 && inlet.troubles().isEmpty());
      assertThat(applied).containsExactly("one", "two", "three", "frozen");
      assertThat(inlet.rejected()).isZero();
    }
  }

  @Test
  void command_thatIsHeld_isNotPassedOver_byWhoeverGoesOn() throws Exception {
    KafkaTopic.make(kafka.brokers(), commands, Map.of());
    inTrouble = "frozen";
    try (Admin admin = Admin.create(config.admin("test"))) {
      try (var inlet = inlet(MAX_WAITING)) {
        inlet.start();
        writeInTurn("before", "frozen", "behind");
        await().atMost(PATIENCE).until(() -> committed(admin) == 1);
      }
      assertThat(committed(admin)).isEqualTo(1);
      inTrouble = "none";
      try (var inlet = inlet(MAX_WAITING)) {
        inlet.start();
        await().atMost(PATIENCE).until(() -> committed(admin) == 3);
      }
      assertThat(applied).startsWith("before", "behind").contains("frozen");
      assertThat(applied).filteredOn("before"::equals).hasSize(1);
    }
  }

  /** Where servers come and go, partitions are given out anew each time. */
  @Test
  void command_thatIsHeld_goesWithItsPartition() throws Exception {
    KafkaTopic.make(kafka.brokers(), commands, Map.of());
    inTrouble = "frozen";
    try (Admin admin = Admin.create(config.admin("test"));
        var second = inlet(MAX_WAITING)) {
      try (var first = inlet(MAX_WAITING)) {
        first.start();
        writeInTurn("frozen", "behind");
        second.start();
        await().atMost(PATIENCE).until(() -> members(admin) == 2);
        writeInTurn("third");
      }
      await().atMost(PATIENCE).until(() -> !second.troubles().isEmpty());
      assertThat(committed(admin)).isLessThanOrEqualTo(0);

      inTrouble = "none";
      await().atMost(PATIENCE).until(() -> committed(admin) == 3 && second.troubles().isEmpty());
      assertThat(applied).contains("frozen", "behind", "third");
      assertThat(second.failures()).isZero();
    }
  }

  private int members(Admin admin) throws Exception {
    return admin.describeConsumerGroups(List.of("naru-" + ledger)).all().get().values().stream()
        .mapToInt(group -> group.members().size())
        .sum();
  }

  @Test
  void commandsThatWait_whenTheyAreTooMany_makeRoomForOthers() throws Exception {
    KafkaTopic.make(kafka.brokers(), commands, Map.of());
    KafkaTopic.make(kafka.brokers(), config.rejected(), Map.of());
    inTrouble = "frozen";
    try (var inlet = inlet(2)) {
      inlet.start();
      writeInTurn("frozen 1", "one", "frozen 2", "two", "frozen 3", "three");
      await().atMost(PATIENCE).until(() -> inlet.applied() == 3);
      assertThat(inlet.rejected()).isEqualTo(1);

      inTrouble = "none";
      await().atMost(PATIENCE).until(() -> inlet.applied() == 5);
    }
    List<ConsumerRecord<String, byte[]>> rejected =
        KafkaTopic.read(kafka.brokers(), config.rejected());
    assertThat(rejected).hasSize(1);
    // The first of these two that has failed often enough since others overtook it.
    String gone = new String(rejected.getFirst().value(), UTF_8);
    assertThat(gone).isIn("frozen 1", "frozen 2");
    assertThat(applied)
        .containsExactlyInAnyOrder(
            "one", "two", "three", gone.equals("frozen 1") ? "frozen 2" : "frozen 1", "frozen 3");
    assertThat(KafkaTopic.header(rejected.getFirst(), "naru-reason"))
        .contains("more than 2 wait", "its queue is frozen");
  }

  /** It might yet be carried out: unlike poison it is not given up where it cannot be kept. */
  @Test
  void commandsThatWait_whenTheyAreTooMany_areNotLost_whereNothingCanBeSetAside() throws Exception {
    KafkaTopic.make(kafka.brokers(), commands, Map.of());
    inTrouble = "frozen";
    try (var inlet = inlet(1)) {
      inlet.start();
      writeInTurn("frozen 1", "one", "frozen 2");
      await()
          .atMost(PATIENCE)
          .until(() -> inlet.troubles().toString().contains(config.rejected() + " takes none"));
      assertThat(inlet.rejected()).isZero();

      inTrouble = "none";
      await().atMost(PATIENCE).until(() -> inlet.applied() == 3 && inlet.troubles().isEmpty());
      assertThat(applied).containsExactlyInAnyOrder("one", "frozen 1", "frozen 2");
    }
  }

  @Test
  void outage_setsNothingAside_andEachIsCarriedOutOnceItIsOver() throws Exception {
    KafkaTopic.make(kafka.brokers(), commands, Map.of());
    KafkaTopic.make(kafka.brokers(), config.rejected(), Map.of());
    inTrouble = "";
    try (var inlet = inlet(2)) {
      inlet.start();
      write("one", "two", "three", "four", "five");
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  failed.stream().filter("one"::equals).count() > Held.FAILURES_ONCE_OVERTAKEN + 1);
      write("six");
      await().atMost(PATIENCE).until(() -> inlet.troubles().toString().contains("no more are"));
      assertThat(inlet.rejected()).isZero();
      assertThat(failed).doesNotContain("six");

      inTrouble = "none";
      await().atMost(PATIENCE).until(() -> inlet.applied() == 6 && inlet.troubles().isEmpty());
      assertThat(applied).containsExactlyInAnyOrder("one", "two", "three", "four", "five", "six");
      assertThat(inlet.rejected()).isZero();
      assertThat(inlet.failures()).isZero();
    }
  }
}
