package io.naru.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.memory.MemoryQueues;
import io.naru.queue.Edit;
import io.naru.queue.QueueId;
import io.naru.testkit.Certificate;
import io.naru.testkit.KafkaServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A cluster that speaks TLS, wants to know who asks, and lets nobody do anything unless it is
 * granted; with what a file says of it.
 */
@Tag("process")
class RightsTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir private static Path folder;

  @SuppressWarnings("NullAway.Init")
  private static Certificate certificate;

  @SuppressWarnings("NullAway.Init")
  private static KafkaServer kafka;

  @BeforeAll
  static void startKafka() {
    certificate = Certificate.make(folder);
    kafka = KafkaServer.startSecured(certificate);
  }

  @AfterAll
  static void stopKafka() {
    kafka.close();
  }

  private static KafkaConfig config(String user) throws IOException {
    return config(KafkaServer.properties(user, certificate));
  }

  private static KafkaConfig config(Map<String, String> properties) throws IOException {
    Path file = Files.createTempFile(folder, "kafka", ".properties");
    Files.write(
        file, properties.entrySet().stream().map(it -> it.getKey() + "=" + it.getValue()).toList());
    return new KafkaConfig(kafka.brokers(), "naru.events", "naru.commands", KafkaConfig.read(file));
  }

  private static void grant(
      Admin admin, ResourceType type, String name, PatternType pattern, AclOperation... operations)
      throws Exception {
    for (AclOperation operation : operations) {
      admin
          .createAcls(
              List.of(
                  new AclBinding(
                      new ResourcePattern(type, name, pattern),
                      new AccessControlEntry(
                          "User:naru", "*", operation, AclPermissionType.ALLOW))))
          .all()
          .get();
    }
  }

  @Test
  void relay_withoutRights_saysWhatToGrant_andGoesOnWithThem() throws Exception {
    var queues = new MemoryQueues(InstantSource.system());
    try (var relay = new Relay(queues.feed(), config("naru"), "memory");
        var inlet =
            new Inlet(
                config("naru"),
                "memory",
                (_, _) -> CompletableFuture.completedFuture(Optional.empty()));
        Admin admin = Admin.create(config("admin").admin("test"))) {
      relay.start();
      inlet.start();
      await().atMost(PATIENCE).until(() -> queues.feed().readers().contains(Relay.READER));
      queues.edit(new QueueId("SALE", "1"), Edit.activate(Map.of())).toCompletableFuture().get();
      await().atMost(PATIENCE).until(() -> !relay.troubles().isEmpty());
      await().atMost(PATIENCE).until(() -> !inlet.troubles().isEmpty());
      assertThat(relay.troubles().toString()).contains("naru.events", "grant");
      assertThat(inlet.troubles().toString()).contains("naru.commands", "grant");
      assertThat(relay.sent()).isZero();

      grant(admin, ResourceType.TOPIC, "naru.", PatternType.PREFIXED, AclOperation.ALL);
      grant(
          admin,
          ResourceType.TRANSACTIONAL_ID,
          "naru-",
          PatternType.PREFIXED,
          AclOperation.WRITE,
          AclOperation.DESCRIBE);
      grant(admin, ResourceType.GROUP, "naru-", PatternType.PREFIXED, AclOperation.READ);

      await().atMost(PATIENCE).untilAsserted(() -> assertThat(relay.troubles()).isEmpty());
      assertThat(relay.sent()).isEqualTo(3);
    }
  }

  @Test
  void credentials_thatAreWrong_areSaid() throws Exception {
    var queues = new MemoryQueues(InstantSource.system());
    try (var relay = new Relay(queues.feed(), config("nobody"), "memory")) {
      relay.beat();

      assertThat(relay.troubles().toString())
          .contains("does not take our credentials", "--kafka-properties");
    }
  }

  @Test
  void certificate_thatIsNotTrusted_isSaid() throws Exception {
    var other = Certificate.make(folder);
    var queues = new MemoryQueues(InstantSource.system());
    try (var relay =
        new Relay(queues.feed(), config(KafkaServer.properties("naru", other)), "memory")) {
      relay.beat();

      assertThat(relay.troubles().toString()).contains("no TLS with it", "--kafka-properties");
      assertThat(relay.sent()).isZero();
    }
  }

  @Test
  void encryption_leftOut_nothingIsSent() throws Exception {
    Map<String, String> open = new HashMap<>(KafkaServer.properties("naru", certificate));
    open.put("security.protocol", "SASL_PLAINTEXT");
    open.put("default.api.timeout.ms", "2000");
    open.put("request.timeout.ms", "1000");
    var queues = new MemoryQueues(InstantSource.system());
    try (var relay = new Relay(queues.feed(), config(open), "memory")) {
      relay.beat();

      assertThat(relay.troubles()).isNotEmpty();
      assertThat(relay.sent()).isZero();
    }
  }
}
