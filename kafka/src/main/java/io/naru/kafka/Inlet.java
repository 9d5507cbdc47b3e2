package io.naru.kafka;

import io.naru.kafka.Rejections.Kept;
import io.naru.kafka.Rejections.Rejection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiPredicate;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes commands out of a topic, as one group of all servers: each is carried out at least once,
 * and perhaps again together with one before it that waits; {@link Held} says for how many. What
 * can never be carried out goes into another topic with the reason, or is counted and said, and
 * holds up nothing. What may be carried out later is {@link Held} and tried again, while others are
 * taken and carried out. Polling never stops, or the group would give the partitions to somebody
 * else: without room for more, they are paused.
 */
public final class Inlet implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Inlet.class);

  /** As a body over HTTP. */
  static final int MAX_BODY = 16 * 1_024;

  private static final int MAX_WAITING = 1_000;

  /** So many come at once, beside those that wait. */
  private static final int MAX_POLLED = 250;

  private static final Duration POLL = Duration.ofMillis(500);

  /** While answers may come. */
  private static final Duration BRIEF_POLL = Duration.ofMillis(20);

  private static final Duration LAST_COMMIT = Duration.ofSeconds(2);
  private static final long ANSWER_SECONDS = 10;

  private final KafkaConfig config;
  private final String topic;
  private final String group;
  private final Commands commands;
  private final int maxWaiting;
  private final Pauses pauses;
  private final Rejections rejections;
  private final AtomicLong applied = new AtomicLong();
  private final AtomicLong rejected = new AtomicLong();
  private final AtomicLong failures = new AtomicLong();

  /** Why none come out of the topic. */
  private volatile @Nullable String trouble;

  /** What is with those that came. */
  private volatile @Nullable String delay;

  private volatile boolean isClosed;
  private @Nullable Thread thread;

  /**
   * @param ledger whose servers share the work
   */
  public Inlet(KafkaConfig config, String ledger, Commands commands) {
    this(config, ledger, commands, MAX_WAITING, Pauses.DEFAULT);
  }

  Inlet(KafkaConfig config, String ledger, Commands commands, int maxWaiting, Pauses pauses) {
    if (config.commands() == null) {
      throw new IllegalArgumentException("no topic of commands");
    }
    this.config = config;
    this.topic = config.commands();
    this.group = "naru-" + ledger;
    this.commands = commands;
    this.maxWaiting = maxWaiting;
    this.pauses = pauses;
    this.rejections = new Rejections(config, pauses);
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
    List<String> all = new ArrayList<>();
    String failure = trouble;
    if (failure != null) {
      all.add("commands do not come out of Kafka: " + failure);
    }
    String waiting = delay;
    if (waiting != null) {
      all.add(waiting);
    }
    return all;
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
          Thread.sleep(pause.compareTo(pauses.longest()) < 0 ? pause : pauses.longest());
        }
      }
    } catch (InterruptedException e) {
      // Closed.
    } finally {
      // Who is interrupted could not even close it.
      boolean _ = Thread.interrupted();
      rejections.close();
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
    properties.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, MAX_POLLED);
    var held = new Held(maxWaiting, pauses);
    try (var consumer = new KafkaConsumer<String, byte[]>(properties)) {
      if (consumer.partitionsFor(topic).isEmpty()) {
        throw new UnknownTopicOrPartitionException("create " + topic);
      }
      consumer.subscribe(List.of(topic), new Handover(consumer, held));
      while (!isClosed) {
        held.add(consumer.poll(pollTime(held)));
        recovered();
        carryOut(held);
        boolean isStuck = !makeRoom(held);
        commit(consumer, held);
        pauseOrResume(consumer, held);
        say(held, isStuck);
      }
    }
  }

  /** No longer than until there is something to do, or pauses would be as long as a poll. */
  private static Duration pollTime(Held held) {
    return held.isTrying() ? BRIEF_POLL : held.untilDue(System.nanoTime(), POLL);
  }

  private void recovered() {
    if (trouble != null) {
      log.info("commands come out of topic {} again", topic);
    }
    trouble = null;
  }

  /** All that are due at once, since their order means nothing. */
  private void carryOut(Held held) throws InterruptedException {
    held.tryDue(System.nanoTime(), this::apply);
    Held.Settled settled = held.settle(System.nanoTime());
    applied.addAndGet(settled.carriedOut());
    rejected.addAndGet(settled.refused());
    List<Held.Command> refused = held.refused();
    if (!refused.isEmpty()) {
      // Also where they cannot be kept there the rest goes on: one is held while there is room,
      // and until too many would come again with it.
      boolean hasRoom = held.hasRoom();
      int _ =
          setAside(
              held,
              refused,
              Held.Command::reason,
              (command, kept) -> kept != Kept.LATER || !hasRoom || held.isFarBehind(command));
    }
  }

  /**
   * @param isOver which are held no longer, by what became of each
   * @return how many these were
   */
  private int setAside(
      Held held,
      List<Held.Command> some,
      Function<Held.Command, String> reason,
      BiPredicate<Held.Command, Kept> isOver)
      throws InterruptedException {
    List<Kept> kept =
        rejections.put(
            some.stream()
                .map(command -> new Rejection(command.record(), reason.apply(command)))
                .toList());
    List<Held.Command> gone = new ArrayList<>();
    for (int i = 0; i < some.size(); i++) {
      if (isOver.test(some.get(i), kept.get(i))) {
        gone.add(some.get(i));
      }
    }
    held.remove(gone);
    return gone.size();
  }

  private CompletableFuture<Optional<String>> apply(ConsumerRecord<String, byte[]> record) {
    byte[] body = record.value();
    if (body == null || body.length == 0) {
      return refused("it is empty");
    }
    int size = Math.max(body.length, record.serializedValueSize());
    if (size > MAX_BODY) {
      return refused("it has " + size + " bytes, at most " + MAX_BODY + " are read");
    }
    try {
      return commands
          .apply(body, Instant.ofEpochMilli(Math.max(0, record.timestamp())))
          .toCompletableFuture()
          .copy()
          .orTimeout(ANSWER_SECONDS, TimeUnit.SECONDS);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static CompletableFuture<Optional<String>> refused(String reason) {
    return CompletableFuture.completedFuture(Optional.of(reason));
  }

  /**
   * Sets aside what others should not have to wait for; unlike what is refused it might yet be
   * carried out, so it is held until it is kept elsewhere.
   *
   * @return false if the other topic does not take all of it
   */
  private boolean makeRoom(Held held) throws InterruptedException {
    List<Held.Command> surplus = held.surplus();
    if (surplus.isEmpty()) {
      return true;
    }
    int gone =
        setAside(
            held, surplus, command -> surplusReason(held, command), (_, kept) -> kept == Kept.YES);
    rejected.addAndGet(gone);
    return gone == surplus.size();
  }

  private String surplusReason(Held held, Held.Command command) {
    String tooMany =
        held.isFarBehind(command) ? Held.MAX_BEHIND + " came behind it: " : maxWaiting + " wait: ";
    return "it fails while others are carried out, and more than " + tooMany + command.reason();
  }

  private static void commit(KafkaConsumer<String, byte[]> consumer, Held held) {
    Map<TopicPartition, OffsetAndMetadata> offsets = held.toCommit();
    if (offsets.isEmpty()) {
      return;
    }
    try {
      consumer.commitSync(offsets);
      held.committed(offsets);
    } catch (RebalanceInProgressException e) {
      // The next poll says which partitions are still ours.
      log.debug("offsets are committed later", e);
    }
  }

  private static void pauseOrResume(KafkaConsumer<String, byte[]> consumer, Held held) {
    if (held.hasRoom()) {
      consumer.resume(consumer.paused());
    } else {
      consumer.pause(consumer.assignment());
    }
  }

  private void say(Held held, boolean isStuck) {
    List<Held.Command> waiting = held.waiting();
    if (waiting.isEmpty()) {
      if (delay != null) {
        log.info("no command out of topic {} waits here any more", topic);
      }
      delay = null;
      return;
    }
    Held.Command oldest = waiting.getFirst();
    if (delay == null) {
      log.warn("commands out of topic {} have to wait: {}", topic, oldest.reason());
    }
    String told =
        "commands out of Kafka wait to be carried out: "
            + waiting.size()
            + ", the oldest failed "
            + oldest.failures()
            + " times: "
            + oldest.reason();
    if (!held.hasRoom()) {
      told += "; no more are taken meanwhile";
    }
    if (isStuck) {
      told += "; topic " + config.rejected() + " takes none of them";
    }
    delay = told;
  }

  /** What becomes of what is held when partitions come and go. */
  private record Handover(KafkaConsumer<String, byte[]> consumer, Held held)
      implements ConsumerRebalanceListener {

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
      pauseOrResume(consumer, held);
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
      Map<TopicPartition, OffsetAndMetadata> offsets = held.toCommit();
      try {
        if (!offsets.isEmpty()) {
          consumer.commitSync(offsets, LAST_COMMIT);
          held.committed(offsets);
        }
      } catch (KafkaException e) {
        log.debug("whoever takes over carries some commands out again", e);
      }
      held.drop(partitions);
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
      held.drop(partitions);
    }
  }
}
