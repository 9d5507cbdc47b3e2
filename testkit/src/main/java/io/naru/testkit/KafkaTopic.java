package io.naru.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * What is in a topic, as a consumer sees it who sets what the manual says. Whoever uses it brings
 * the clients of Kafka.
 */
public final class KafkaTopic {

  /** Longer than any transaction may stay open. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private KafkaTopic() {}

  public static void make(String brokers, String name, Map<String, String> settings)
      throws InterruptedException {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", brokers))) {
      admin.createTopics(Set.of(new NewTopic(name, 1, (short) 1).configs(settings))).all().get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  private static KafkaConsumer<String, byte[]> consumer(String brokers, String isolation) {
    return new KafkaConsumer<>(
        Map.of(
            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
            brokers,
            ConsumerConfig.ISOLATION_LEVEL_CONFIG,
            isolation,
            ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
            StringDeserializer.class,
            ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
            ByteArrayDeserializer.class));
  }

  /** Where whoever also sees what is not committed finds the end. */
  private static Map<TopicPartition, Long> ends(String brokers, List<TopicPartition> parts) {
    try (var consumer = consumer(brokers, "read_uncommitted")) {
      return consumer.endOffsets(parts);
    }
  }

  /**
   * All of it. A broker answers a commit before it is to be seen, so this goes on to where the
   * topic ends for those who see everything.
   */
  public static List<ConsumerRecord<String, byte[]>> read(String brokers, String name) {
    List<ConsumerRecord<String, byte[]>> all = new ArrayList<>();
    try (var consumer = consumer(brokers, "read_committed")) {
      List<TopicPartition> parts =
          consumer.partitionsFor(name).stream()
              .map(part -> new TopicPartition(name, part.partition()))
              .toList();
      consumer.assign(parts);
      consumer.seekToBeginning(parts);
      Map<TopicPartition, Long> ends = ends(brokers, parts);
      long deadline = System.nanoTime() + PATIENCE.toNanos();
      while (parts.stream().anyMatch(p -> consumer.position(p) < ends.getOrDefault(p, 0L))) {
        if (System.nanoTime() > deadline) {
          throw new IllegalStateException("a transaction is open in " + name + " and stays so");
        }
        consumer.poll(Duration.ofMillis(200)).forEach(all::add);
      }
    }
    return all;
  }

  public static void write(String brokers, String name, byte[]... values)
      throws InterruptedException {
    Map<String, Object> properties =
        Map.of(
            "bootstrap.servers", brokers,
            "max.request.size", "20000000",
            "buffer.memory", "40000000");
    try (var producer =
        new KafkaProducer<>(properties, new StringSerializer(), new ByteArraySerializer())) {
      for (byte[] value : values) {
        producer.send(new ProducerRecord<>(name, value)).get();
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  public static String header(ConsumerRecord<String, byte[]> record, String name) {
    return new String(record.headers().lastHeader(name).value(), UTF_8);
  }
}
