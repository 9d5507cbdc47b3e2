package io.naru.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * One life of the relay at Kafka. It begins by putting out whoever had the same transactional id
 * before: from then on nothing of theirs gets into a topic, and what they had under way is either
 * in it as a whole or not at all. Only then it reads up to where the topic is.
 *
 * <p>Events and how far they reach are written in one transaction. Whatever fails, and however it
 * is left, the answer is the same: the session is over, and the next one finds out.
 */
final class Session implements AutoCloseable {

  /** Longer than any transaction may stay open. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final KafkaConfig config;
  private final KafkaProducer<String, byte[]> producer;
  private final Map<String, Long> cursors = new HashMap<>();

  /** Queues that are no more, of which everything was read. */
  private final List<String> over = new ArrayList<>();

  /**
   * @param ledger no two that write to the same topic have the same name
   */
  Session(KafkaConfig config, String ledger) throws InterruptedException {
    this.config = config;
    try (Admin admin = Admin.create(config.admin("naru-relay-admin"))) {
      require(admin, config.topic(), false);
      require(admin, config.cursors(), true);
      producer = new KafkaProducer<>(config.relay("naru-" + ledger));
      try {
        producer.initTransactions();
        readCursors(admin, ledger);
      } catch (RuntimeException | ExecutionException e) {
        producer.close(Duration.ZERO);
        throw e;
      }
    } catch (ExecutionException e) {
      throw new KafkaException(e.getCause());
    }
  }

  /** Makes a topic that is missing, with as many partitions and copies as the cluster says. */
  private static void require(Admin admin, String topic, boolean isCompact)
      throws ExecutionException, InterruptedException {
    try {
      admin.describeTopics(Set.of(topic)).allTopicNames().get();
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
        throw e;
      }
      var missing =
          new NewTopic(
              topic, isCompact ? Optional.of(1) : Optional.empty(), Optional.<Short>empty());
      if (isCompact) {
        missing.configs(
            Map.of(TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_COMPACT));
      }
      try {
        admin.createTopics(Set.of(missing)).all().get();
      } catch (ExecutionException failure) {
        if (!(failure.getCause() instanceof TopicExistsException)) {
          throw failure;
        }
      }
    }
  }

  /**
   * Up to the end as it is for those who also see what is not committed: another ledger may have a
   * transaction open, behind which something of ours is.
   */
  private void readCursors(Admin admin, String ledger)
      throws ExecutionException, InterruptedException {
    Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
    admin.describeTopics(Set.of(config.cursors())).allTopicNames().get().values().stream()
        .flatMap(topic -> topic.partitions().stream())
        .forEach(p -> latest.put(part(p.partition()), OffsetSpec.latest()));
    Map<TopicPartition, Long> ends = new HashMap<>();
    admin
        .listOffsets(latest, new ListOffsetsOptions(IsolationLevel.READ_UNCOMMITTED))
        .all()
        .get()
        .forEach((part, end) -> ends.put(part, end.offset()));
    try (var consumer = new KafkaConsumer<String, byte[]>(config.consumer("naru-relay-cursors"))) {
      consumer.assign(ends.keySet());
      consumer.seekToBeginning(ends.keySet());
      long deadline = System.nanoTime() + PATIENCE.toNanos();
      while (ends.entrySet().stream().anyMatch(e -> consumer.position(e.getKey()) < e.getValue())) {
        if (System.nanoTime() > deadline) {
          throw new TimeoutException(
              "topic " + config.cursors() + " cannot be read to its end within " + PATIENCE);
        }
        for (ConsumerRecord<String, byte[]> record : consumer.poll(Duration.ofMillis(200))) {
          if (record.key() != null && record.key().startsWith(ledger + "/")) {
            put(record.key(), record.value());
          }
        }
      }
    }
  }

  private TopicPartition part(int number) {
    return new TopicPartition(config.cursors(), number);
  }

  private void put(String original, byte @Nullable [] value) {
    if (value == null) {
      cursors.remove(original);
    } else {
      cursors.put(original, Long.parseLong(new String(value, UTF_8)));
    }
  }

  /** Up to which change the events of a queue are in the topic; 0 if none are. */
  long cursor(String original) {
    return cursors.getOrDefault(original, 0L);
  }

  /**
   * Writes events, and up to where they are of each queue: all of it or nothing.
   *
   * @throws KafkaException if it is not certain that it happened; this session is over then
   */
  void write(Collection<ProducerRecord<String, byte[]>> records, Map<String, Long> reached) {
    Set<String> gone = new HashSet<>(over);
    producer.beginTransaction();
    // What fails of these fails the commit.
    records.forEach(producer::send);
    reached.forEach((original, change) -> send(original, Long.toString(change).getBytes(UTF_8)));
    gone.forEach(original -> send(original, null));
    producer.commitTransaction();
    cursors.putAll(reached);
    gone.forEach(cursors::remove);
    over.removeAll(gone);
  }

  private void send(String original, byte @Nullable [] cursor) {
    producer.send(new ProducerRecord<>(config.cursors(), original, cursor));
  }

  /** Nothing will ever follow of a queue. */
  void end(String original) {
    over.add(original);
  }

  /** What is under way is given up: the next session puts it out, or Kafka does in time. */
  @Override
  public void close() {
    producer.close(Duration.ZERO);
  }
}
