package io.naru.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes commands out of a topic, as one group of all servers: each is carried out at least once,
 * and where one may be carried out twice that does no harm. Offsets are committed when everything
 * before them is done or set aside: what can never be carried out goes into another topic with the
 * reason, or is counted and said, and holds up nothing.
 */
public final class Inlet implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Inlet.class);

  /** As a body over HTTP. */
  private static final int MAX_BODY = 16 * 1_024;

  /** Of a body that is longer, so much is kept with the reason. */
  private static final int KEPT_OF_LONG = 1_024;

  private static final Duration POLL = Duration.ofMillis(500);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);
  private static final long ANSWER_SECONDS = 10;
  private static final int MAX_REASONS = 100;

  private final KafkaConfig config;
  private final String topic;
  private final String group;
  private final Commands commands;
  private final AtomicLong applied = new AtomicLong();
  private final AtomicLong rejected = new AtomicLong();
  private final AtomicLong failures = new AtomicLong();

  /** What was said already. */
  private final Set<String> reasons = new HashSet<>();

  private boolean isRejectionFailing;
  private volatile @Nullable String trouble;
  private volatile boolean isClosed;
  private @Nullable KafkaProducer<String, byte[]> aside;
  private @Nullable Thread thread;

  /**
   * @param ledger whose servers share the work
   */
  public Inlet(KafkaConfig config, String ledger, Commands commands) {
    if (config.commands() == null) {
      throw new IllegalArgumentException("no topic of commands");
    }
    this.config = config;
    this.topic = config.commands();
    this.group = "naru-" + ledger;
    this.commands = commands;
  }

  public void start() {
    thread = Thread.ofPlatform().name("naru-kafka-commands").daemon().start(this::run);
  }

  @Override
  public void close() {
    isClosed = true;
    Thread running = thread;
    if (running != null) {
      running.interrupt();
      try {
        running.join(Duration.ofSeconds(3));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** How many were carried out. */
  public long applied() {
    return applied.get();
  }

  /** How many were set aside. */
  public long rejected() {
    return rejected.get();
  }

  public long failures() {
    return failures.get();
  }

  /** What an operator should know; empty if all is well. */
  public List<String> troubles() {
    String failure = trouble;
    return failure == null ? List.of() : List.of("commands do not come out of Kafka: " + failure);
  }

  private void run() {
    int failed = 0;
    try {
      while (!isClosed) {
        try {
          consume();
        } catch (InterruptException e) {
          return;
        } catch (RuntimeException e) {
          failed = trouble == null ? 1 : Math.min(failed + 1, 6);
          fail(e);
          Duration pause = Duration.ofMillis(250L << failed);
          Thread.sleep(pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause);
        }
      }
    } catch (InterruptedException e) {
      // Closed.
    } finally {
      closeAside();
    }
  }

  private void closeAside() {
    // Who is interrupted could not even close it.
    boolean _ = Thread.interrupted();
    if (aside != null) {
      aside.close(Duration.ZERO);
    }
  }

  private void fail(RuntimeException e) {
    failures.incrementAndGet();
    String why = Explained.of(e, config);
    if (trouble == null) {
      log.warn("commands cannot be taken out of topic {}: {}", topic, why);
      log.debug("in detail", e);
    }
    trouble = why;
  }

  private void consume() throws InterruptedException {
    var properties = config.consumer("naru-commands");
    properties.put(ConsumerConfig.GROUP_ID_CONFIG, group);
    try (var consumer = new KafkaConsumer<String, byte[]>(properties)) {
      if (consumer.partitionsFor(topic).isEmpty()) {
        throw new UnknownTopicOrPartitionException("create " + topic);
      }
      consumer.subscribe(List.of(topic));
      while (!isClosed) {
        ConsumerRecords<String, byte[]> some = consumer.poll(POLL);
        recovered();
        if (!some.isEmpty()) {
          apply(some);
          consumer.commitSync();
        }
      }
    }
  }

  private void recovered() {
    if (trouble != null) {
      log.info("commands come out of topic {} again", topic);
    }
    trouble = null;
  }

  /** All of them at once, since their order means nothing; those that fail again and again. */
  private void apply(ConsumerRecords<String, byte[]> records) throws InterruptedException {
    List<ConsumerRecord<String, byte[]>> left = new ArrayList<>();
    records.forEach(left::add);
    long pause = 100;
    while (!left.isEmpty()) {
      left = applyOnce(left);
      if (!left.isEmpty()) {
        Thread.sleep(pause);
        pause = Math.min(2 * pause, LONGEST_PAUSE.toMillis());
      }
    }
    recovered();
  }

  /** Those that may be carried out later. */
  private List<ConsumerRecord<String, byte[]>> applyOnce(
      List<ConsumerRecord<String, byte[]>> records) throws InterruptedException {
    List<CompletionStage<Optional<String>>> answers = new ArrayList<>(records.size());
    for (ConsumerRecord<String, byte[]> record : records) {
      answers.add(apply(record));
    }
    List<ConsumerRecord<String, byte[]>> left = new ArrayList<>();
    for (int i = 0; i < records.size(); i++) {
      try {
        Optional<String> reason =
            answers.get(i).toCompletableFuture().get(ANSWER_SECONDS, TimeUnit.SECONDS);
        if (reason.isPresent()) {
          setAside(records.get(i), reason.get());
        } else {
          applied.incrementAndGet();
        }
      } catch (ExecutionException | CompletionException e) {
        later(e.getCause() == null ? e : e.getCause());
        left.add(records.get(i));
      } catch (java.util.concurrent.TimeoutException e) {
        later(e);
        left.add(records.get(i));
      }
    }
    return left;
  }

  private void later(Throwable why) {
    if (trouble == null) {
      log.warn("commands have to wait: {}", why.getMessage());
    }
    trouble = String.valueOf(why.getMessage());
  }

  private CompletionStage<Optional<String>> apply(ConsumerRecord<String, byte[]> record) {
    byte[] body = record.value();
    if (body == null || body.length == 0) {
      return refused("it is empty");
    }
    if (body.length > MAX_BODY) {
      return refused("it has " + body.length + " bytes, at most " + MAX_BODY + " are read");
    }
    return commands.apply(body);
  }

  private static CompletionStage<Optional<String>> refused(String reason) {
    return java.util.concurrent.CompletableFuture.completedFuture(Optional.of(reason));
  }

  /** Puts it into another topic with the reason; if that is not possible, it is only said. */
  private void setAside(ConsumerRecord<String, byte[]> record, String reason)
      throws InterruptedException {
    rejected.incrementAndGet();
    if (reasons.size() < MAX_REASONS && reasons.add(reason)) {
      log.warn(
          "a command is set aside ({} offset {} of {}): {}",
          topic,
          record.offset(),
          record.partition(),
          reason);
    }
    byte[] body = record.value() == null ? new byte[0] : record.value();
    byte[] kept = body.length > MAX_BODY ? Arrays.copyOf(body, KEPT_OF_LONG) : body;
    var rejection = new ProducerRecord<String, byte[]>(config.rejected(), record.key(), kept);
    rejection.headers().add("naru-reason", reason.getBytes(UTF_8));
    rejection
        .headers()
        .add(
            "naru-from",
            (topic + "/" + record.partition() + "/" + record.offset()).getBytes(UTF_8));
    try {
      if (aside == null) {
        aside = new KafkaProducer<>(config.producer("naru-commands-rejected"));
      }
      aside.send(rejection).get(ANSWER_SECONDS, TimeUnit.SECONDS);
      isRejectionFailing = false;
    } catch (ExecutionException | RuntimeException | java.util.concurrent.TimeoutException e) {
      if (e instanceof InterruptException) {
        throw new InterruptedException("closed");
      }
      if (!isRejectionFailing) {
        log.warn(
            "what is set aside cannot be kept in topic {}: {}",
            config.rejected(),
            Explained.of(e, config));
      }
      isRejectionFailing = true;
    }
  }
}
