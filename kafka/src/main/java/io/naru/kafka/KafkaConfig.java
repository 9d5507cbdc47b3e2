package io.naru.kafka;

import io.naru.queue.InvalidValue;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/**
 * Which Kafka, and what of it is used.
 *
 * @param brokers {@code HOST:PORT,…}
 * @param topic where events go
 * @param commands the topic out of which commands come; null if none do
 * @param properties of clients: how to log in, certificates, whatever else a cluster asks for
 */
public record KafkaConfig(
    String brokers, String topic, @Nullable String commands, Map<String, String> properties) {

  public static final String TOPIC = "naru.events";

  /** After it a producer gives up what was not answered. */
  static final Duration DELIVERY_TIMEOUT = Duration.ofSeconds(15);

  private static final Pattern BROKERS =
      Pattern.compile(
          "[^\\s,:]+:[0-9]{1,5}(,[^\\s,:]+:[0-9]{1,5})*|(\\[[0-9a-f:]+]:[0-9]{1,5},?)+");

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,200}");

  /** What these say is what makes an event be there once, or keeps a server within its bounds. */
  private static final Set<String> OURS =
      Set.of(
          "bootstrap.servers",
          "transactional.id",
          "enable.idempotence",
          "acks",
          "group.id",
          "isolation.level",
          "enable.auto.commit",
          "auto.offset.reset",
          "key.serializer",
          "value.serializer",
          "key.deserializer",
          "value.deserializer",
          "buffer.memory",
          "max.block.ms",
          "delivery.timeout.ms",
          "transaction.timeout.ms");

  public KafkaConfig {
    if (!BROKERS.matcher(brokers).matches()) {
      throw new InvalidValue("kafka", "HOST:PORT, or several with commas", "is '" + brokers + "'");
    }
    requireName("kafka-topic", topic);
    if (commands != null) {
      requireName("kafka-commands", commands);
      if (commands.equals(topic)) {
        throw new InvalidValue("kafka-commands", "another topic than events go to", "is the same");
      }
    }
    properties = Map.copyOf(properties);
    for (String name : new TreeMap<>(properties).keySet()) {
      if (OURS.contains(name)) {
        throw new InvalidValue("kafka-properties", "what Naru does not set itself", "has " + name);
      }
    }
  }

  private static void requireName(String field, String topic) {
    if (!NAME.matcher(topic).matches() || topic.equals(".") || topic.equals("..")) {
      throw new InvalidValue(
          field, "1 to 200 of A-Z a-z 0-9 . _ -", "is no name of a topic: '" + topic + "'");
    }
  }

  /**
   * Reads properties of clients.
   *
   * @throws InvalidValue if that cannot be
   */
  public static Map<String, String> read(Path file) {
    var read = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      read.load(reader);
    } catch (NoSuchFileException e) {
      throw new InvalidValue("kafka-properties", "a file", "there is no " + file);
    } catch (IOException | IllegalArgumentException e) {
      throw new InvalidValue(
          "kafka-properties", "name=value in each line", "cannot read " + file + ": " + e);
    }
    Map<String, String> properties = new LinkedHashMap<>();
    read.stringPropertyNames().forEach(name -> properties.put(name, read.getProperty(name)));
    return properties;
  }

  /** Where the relay keeps up to which change events are in the topic. */
  String cursors() {
    return topic + ".cursors";
  }

  /** Where commands are put that cannot be carried out. */
  String rejected() {
    return commands + ".rejected";
  }

  /** What all clients have in common. */
  Map<String, Object> common(String name) {
    Map<String, Object> all = new LinkedHashMap<>(properties);
    all.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, brokers);
    all.put(CommonClientConfigs.CLIENT_ID_CONFIG, name);
    // We have metrics of our own, and Java's management beans would outlive a client that failed.
    all.put(CommonClientConfigs.METRIC_REPORTER_CLASSES_CONFIG, "");
    all.put(CommonClientConfigs.ENABLE_METRICS_PUSH_CONFIG, "false");
    all.putIfAbsent(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, "5000");
    all.putIfAbsent(CommonClientConfigs.SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG, "3000");
    all.putIfAbsent(CommonClientConfigs.SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS_CONFIG, "5000");
    all.putIfAbsent(CommonClientConfigs.RECONNECT_BACKOFF_MAX_MS_CONFIG, "1000");
    return all;
  }

  Map<String, Object> admin(String name) {
    Map<String, Object> all = common(name);
    all.putIfAbsent("default.api.timeout.ms", "10000");
    return all;
  }

  Map<String, Object> producer(String name) {
    Map<String, Object> all = common(name);
    all.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, StringSerializer.class);
    all.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    all.put(ProducerConfig.ACKS_CONFIG, "all");
    all.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "true");
    all.put(ProducerConfig.BUFFER_MEMORY_CONFIG, "16777216");
    all.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, "10000");
    all.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, "" + DELIVERY_TIMEOUT.toMillis());
    all.putIfAbsent(ProducerConfig.LINGER_MS_CONFIG, "5");
    return all;
  }

  Map<String, Object> relay(String transactionalId) {
    Map<String, Object> all = producer(transactionalId);
    all.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, transactionalId);
    all.put(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, "30000");
    return all;
  }

  Map<String, Object> consumer(String name) {
    Map<String, Object> all = common(name);
    all.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, StringDeserializer.class);
    all.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    all.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
    all.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    all.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    all.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false");
    all.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, "4194304");
    all.putIfAbsent(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, "10000");
    return all;
  }
}
