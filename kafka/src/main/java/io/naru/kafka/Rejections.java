package io.naru.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.CompletableFuture.failedFuture;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The topic of what is not carried out, each with the reason; which is also said. A topic that
 * fails is left alone for a while: whoever puts something there waits for the answer, and all
 * commands wait with them.
 */
final class Rejections implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Rejections.class);

  /** What the producer still tries to bring there must not be taken for not kept. */
  private static final Duration ANSWER = KafkaConfig.DELIVERY_TIMEOUT.plusSeconds(5);

  private static final int MAX_REASONS = 100;

  private final KafkaConfig config;
  private final Pauses pauses;
  private final Supplier<Producer<String, byte[]>> producers;
  private final LongSupplier nanos;

  /** What was said already. */
  private final Set<String> reasons = new HashSet<>();

  private boolean isFailureSaid;

  private @Nullable Producer<String, byte[]> producer;

  /** What the topic's last failure meant; null if it works. */
  private @Nullable Kept failing;

  private long failedNanos;

  Rejections(KafkaConfig config, Pauses pauses) {
    this(config, pauses, () -> producer(config, pauses), System::nanoTime);
  }

  Rejections(
      KafkaConfig config,
      Pauses pauses,
      Supplier<Producer<String, byte[]>> producers,
      LongSupplier nanos) {
    this.config = config;
    this.pauses = pauses;
    this.producers = producers;
    this.nanos = nanos;
  }

  private static Producer<String, byte[]> producer(KafkaConfig config, Pauses pauses) {
    Map<String, Object> properties = config.producer("naru-commands-rejected");
    properties.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, "" + pauses.lookedFor().toMillis());
    return new KafkaProducer<>(properties);
  }

  /** One that is not carried out. */
  record Rejection(ConsumerRecord<String, byte[]> record, String reason) {}

  /** Whether one is in the topic. */
  enum Kept {
    YES,
    /** Not for all that is known, but soon the topic may take it. */
    LATER,
    /** The topic is missing or forbidden, or does not take such a record. */
    NO
  }

  /**
   * @return what became of each
   */
  List<Kept> put(List<Rejection> some) throws InterruptedException {
    some.forEach(this::say);
    Kept before = failing;
    if (before != null && nanos.getAsLong() - failedNanos < pauses.longest().toNanos()) {
      return Collections.nCopies(some.size(), before);
    }
    failing = null;
    List<Kept> kept = answers(sent(some));
    isFailureSaid &= !kept.stream().allMatch(Kept.YES::equals);
    // Those behind one that failed at once were not sent.
    kept.addAll(Collections.nCopies(some.size() - kept.size(), kept.getLast()));
    return kept;
  }

  private void say(Rejection rejection) {
    if (reasons.size() < MAX_REASONS && reasons.add(rejection.reason)) {
      log.warn(
          "a command is set aside ({} offset {} of {}): {}",
          rejection.record.topic(),
          rejection.record.offset(),
          rejection.record.partition(),
          rejection.reason);
    }
  }

  private List<Future<RecordMetadata>> sent(List<Rejection> some) throws InterruptedException {
    List<Future<RecordMetadata>> sent = new ArrayList<>(some.size());
    for (Rejection rejection : some) {
      Future<RecordMetadata> one = send(record(rejection));
      sent.add(one);
      if (one.state() == Future.State.FAILED && !isOfRecord(one.exceptionNow())) {
        // The others would, too, each after a wait.
        break;
      }
    }
    return sent;
  }

  private Future<RecordMetadata> send(ProducerRecord<String, byte[]> record)
      throws InterruptedException {
    try {
      if (producer == null) {
        producer = producers.get();
      }
      return producer.send(record);
    } catch (InterruptException e) {
      throw new InterruptedException("closed");
    } catch (RuntimeException e) {
      return failedFuture(e);
    }
  }

  private List<Kept> answers(List<Future<RecordMetadata>> sent) throws InterruptedException {
    long untilNanos = nanos.getAsLong() + ANSWER.toNanos();
    List<Kept> answers = new ArrayList<>();
    for (Future<RecordMetadata> one : sent) {
      try {
        one.get(Math.max(0, untilNanos - nanos.getAsLong()), TimeUnit.NANOSECONDS);
        answers.add(Kept.YES);
      } catch (ExecutionException | TimeoutException e) {
        answers.add(failed(e));
      }
    }
    return answers;
  }

  private Kept failed(Exception failure) {
    if (!isFailureSaid) {
      log.warn(
          "what is set aside cannot be kept in topic {}: {}",
          config.rejected(),
          Explained.of(failure, config));
    }
    isFailureSaid = true;
    Kept meaning = mayPass(failure) ? Kept.LATER : Kept.NO;
    if (!isOfRecord(failure)) {
      failing = meaning;
      failedNanos = nanos.getAsLong();
    }
    return meaning;
  }

  /** Of what is not known to pass nothing is hoped, or it would be held for ever. */
  private static boolean mayPass(Throwable failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      // To Kafka's clients it is worth another try, and the cause of a time-out.
      if (each instanceof UnknownTopicOrPartitionException) {
        return false;
      }
    }
    Throwable cause = Explained.cause(failure);
    return cause instanceof RetriableException || cause instanceof TimeoutException;
  }

  /** Whether another record would be taken. */
  private static boolean isOfRecord(Throwable failure) {
    return switch (Explained.cause(failure)) {
      case RecordTooLargeException _, RecordBatchTooLargeException _, InvalidRecordException _ ->
          true;
      default -> false;
    };
  }

  private ProducerRecord<String, byte[]> record(Rejection rejection) {
    ConsumerRecord<String, byte[]> from = rejection.record;
    byte[] body = from.value() == null ? new byte[0] : from.value();
    var record = new ProducerRecord<String, byte[]>(config.rejected(), from.key(), body);
    String where = from.topic() + "/" + from.partition() + "/" + from.offset();
    record.headers().add("naru-reason", rejection.reason.getBytes(UTF_8));
    record.headers().add("naru-from", where.getBytes(UTF_8));
    return record;
  }

  @Override
  public void close() {
    if (producer != null) {
      producer.close(Duration.ZERO);
    }
  }
}
