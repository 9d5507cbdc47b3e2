package io.naru.kafka;

import static io.naru.queue.Micros.PER_SECOND;

import io.naru.journal.Event;
import io.naru.journal.Feed;
import io.naru.journal.Happened;
import io.naru.journal.Unread;
import io.naru.queue.EventKind;
import io.naru.queue.QueueUnavailable;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings what happens into a topic of Kafka: every event once, those of a queue in order.
 *
 * <p>The events of a ledger go through one relay at a time, whose transactional id puts out any
 * other one. The others of its servers stand by, and take over when nothing is heard of it. Which
 * change a queue has reached is written into a topic of our own, in the transaction that writes the
 * events; that decides where one goes on. The cursor in the ledger comes after, and only says what
 * may be forgotten.
 *
 * <p>It runs beside everything else, on a thread of its own: whatever becomes of Kafka, no queue
 * waits for it.
 */
public final class Relay implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Relay.class);

  /** What it is called as a reader of events. */
  public static final String READER = "kafka";

  private static final Duration BEAT = Duration.ofMillis(250);
  private static final Duration STAND_BY = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

  /** So long others leave the work to this one after the last that was heard of it. */
  private static final Duration HOLD = Duration.ofSeconds(10);

  private static final Duration RENEWAL = Duration.ofSeconds(3);

  /** So often the ledger is told that somebody reads; it forgets who does not within hours. */
  private static final Duration LISTENING = Duration.ofMinutes(1);

  private static final int MAX_QUEUES = 10_000;

  /** About so many events are in one transaction. */
  private static final int STEP_EVENTS = 5_000;

  /** About so many of a queue, then the next one has its turn. */
  private static final int SHARE_EVENTS = 1_000;

  /** A change may have a thousand events. */
  private static final int LEAST_CHANGES = 16;

  private static final int MOST_CHANGES = SHARE_EVENTS;

  /** From when on operators are told. */
  private static final long LATE_MICROS = 10 * PER_SECOND;

  private final Feed feed;
  private final KafkaConfig config;
  private final String ledger;
  private final String server;
  private final CloudEvent event;
  private final AtomicLong sent = new AtomicLong();
  private final AtomicLong gaps = new AtomicLong();
  private final AtomicLong failures = new AtomicLong();
  private volatile Lag lag = new Lag(0, 0);
  private volatile @Nullable String trouble;
  private volatile boolean isClosed;
  private @Nullable Session session;
  private @Nullable Thread thread;
  private long listenedAt;
  private long renewedAt;
  private boolean isHeld;
  private int failed;

  /** Whose turn was the last. */
  private long lastQueue;

  /** How far the topic was behind at the last look. */
  private record Lag(long changes, long micros) {}

  /**
   * @param ledger no two that write to the same topic have the same name
   */
  public Relay(Feed feed, KafkaConfig config, String ledger) {
    this(feed, config, ledger, UUID.randomUUID().toString());
  }

  /**
   * @param server names this one among all that could relay
   */
  Relay(Feed feed, KafkaConfig config, String ledger, String server) {
    this.feed = feed;
    this.config = config;
    this.ledger = ledger;
    this.server = server;
    this.event = new CloudEvent(config.topic(), ledger);
    this.listenedAt = System.nanoTime() - LISTENING.toNanos();
  }

  /** From here on nothing that happens is missed, if the ledger can be asked. */
  public void start() {
    try {
      feed.listen(READER);
    } catch (QueueUnavailable e) {
      log.debug("the ledger will know a moment later who reads", e);
    }
    thread = Thread.ofPlatform().name("naru-kafka-relay").daemon().start(this::run);
  }

  private void run() {
    try {
      while (!isClosed) {
        Thread.sleep(beat());
      }
    } catch (InterruptedException e) {
      // Closed.
    } finally {
      // Who is interrupted could not even close it.
      boolean _ = Thread.interrupted();
      endSession();
    }
  }

  @Override
  public void close() {
    isClosed = true;
    Thread running = thread;
    if (running == null) {
      endSession();
      return;
    }
    running.interrupt();
    try {
      if (running.join(Duration.ofSeconds(3)) && isHeld) {
        feed.letGo(READER, server);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      log.debug("others will notice that this relay is gone", e);
    }
  }

  /** How many changes are not in the topic, of the queue that is furthest behind. */
  public long lagChanges() {
    return lag.changes;
  }

  /** For how long an event has been waiting to be in the topic. */
  public double lagSeconds() {
    return lag.micros / (double) PER_SECOND;
  }

  /** How many events this server has brought there. */
  public long sent() {
    return sent.get();
  }

  /** How often events were gone before they could be brought there. */
  public long gaps() {
    return gaps.get();
  }

  public long failures() {
    return failures.get();
  }

  /** What an operator should know; empty if all is well. */
  public List<String> troubles() {
    List<String> all = new ArrayList<>(2);
    String failure = trouble;
    if (failure != null) {
      all.add("Kafka gets no events: " + failure);
    }
    if (lag.micros > LATE_MICROS) {
      all.add(
          "events in Kafka are %s s behind, %s changes"
              .formatted(lag.micros / PER_SECOND, lag.changes));
    }
    return all;
  }

  /** Brings on what there is; says how long to wait before the next time. */
  Duration beat() throws InterruptedException {
    try {
      if (!isMine()) {
        endSession();
        lagOf(feed.unread(READER, MAX_QUEUES));
        return STAND_BY;
      }
      Session to = open();
      // Only now: before the other one was put out, it may have brought more than was seen here.
      List<Unread> unread = feed.unread(READER, MAX_QUEUES);
      lagOf(unread);
      boolean isMore = !unread.isEmpty() && bring(unread, to);
      recovered();
      return isMore ? Duration.ZERO : BEAT;
    } catch (QueueUnavailable e) {
      // The ledger is away, which is said elsewhere.
      log.debug("events have to wait", e);
      return STAND_BY;
    } catch (RuntimeException e) {
      return fail(e);
    }
  }

  /** Whether this server relays. Asked once in a while, unless others do. */
  private boolean isMine() {
    long now = System.nanoTime();
    if (now - listenedAt >= LISTENING.toNanos()) {
      feed.listen(READER);
      listenedAt = now;
    }
    if (!isHeld || now - renewedAt >= RENEWAL.toNanos()) {
      isHeld = feed.hold(READER, server, HOLD);
      renewedAt = now;
    }
    return isHeld;
  }

  private void lagOf(List<Unread> unread) {
    lag =
        new Lag(
            unread.stream().mapToLong(Unread::changes).max().orElse(0),
            unread.stream().mapToLong(Unread::micros).max().orElse(0));
  }

  private Session open() throws InterruptedException {
    Session opened = session;
    if (opened == null) {
      // It is told also of a Kafka that does not answer.
      lagOf(feed.unread(READER, MAX_QUEUES));
      opened = new Session(config, ledger);
      session = opened;
      log.info("events go to topic {} of Kafka at {}", config.topic(), config.brokers());
    }
    return opened;
  }

  private void endSession() {
    Session ended = session;
    session = null;
    if (ended != null) {
      ended.close();
    }
  }

  private void recovered() {
    if (trouble != null) {
      log.info("events go to Kafka again");
    }
    trouble = null;
    failed = 0;
  }

  private Duration fail(RuntimeException e) throws InterruptedException {
    endSession();
    Throwable cause = Explained.cause(e);
    if (isClosed || cause instanceof org.apache.kafka.common.errors.InterruptException) {
      throw new InterruptedException("closed");
    }
    failures.incrementAndGet();
    if (Explained.isFenced(e)) {
      // Another server believes that it is its turn, and it is right: it came later.
      log.info("another server brings events to Kafka");
      isHeld = false;
      return STAND_BY;
    }
    String why = Explained.of(e, config);
    if (trouble == null) {
      log.warn("events cannot be brought to Kafka and are kept until they can: {}", why);
      log.debug("in detail", e);
    }
    trouble = why;
    failed = Math.min(failed + 1, 10);
    Duration pause = Duration.ofMillis(250L << Math.min(failed, 6));
    return pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
  }

  /** What is read of a queue in a step. */
  private static final class Reading {
    final Unread of;
    final long from;
    long after;
    int limit = LEAST_CHANGES;
    boolean isEnd;

    /** Whether the queue is no more. */
    boolean isOver;

    Reading(Unread of, long from) {
      this.of = of;
      this.from = from;
      this.after = from;
    }
  }

  /**
   * Brings some of it; whether there is more. Each queue in turn as much as its share, beginning
   * with the one whose turn it would have been: however much one of them is behind, no other one
   * waits until it is not.
   */
  private boolean bring(List<Unread> unread, Session to) {
    List<ProducerRecord<String, byte[]>> records = new ArrayList<>();
    List<Reading> readings = new ArrayList<>();
    Deque<Reading> more = new ArrayDeque<>();
    Iterator<Unread> next = inTurn(unread).iterator();
    while (records.size() < STEP_EVENTS && (next.hasNext() || !more.isEmpty())) {
      Reading reading;
      if (next.hasNext()) {
        Unread of = next.next();
        reading = new Reading(of, from(of, to));
        readings.add(reading);
        lastQueue = of.id();
      } else {
        reading = more.removeFirst();
      }
      read(reading, records);
      if (!reading.isEnd) {
        more.addLast(reading);
      }
    }
    bring(records, readings, to);
    return next.hasNext() || !more.isEmpty();
  }

  private List<Unread> inTurn(List<Unread> unread) {
    return unread.stream()
        .sorted(
            Comparator.comparing((Unread of) -> of.id() <= lastQueue).thenComparingLong(Unread::id))
        .toList();
  }

  private void read(Reading reading, List<ProducerRecord<String, byte[]>> records) {
    int enough = Math.min(records.size() + SHARE_EVENTS, STEP_EVENTS);
    while (!reading.isEnd && records.size() < enough) {
      int before = records.size();
      Feed.Stretch next = feed.happened(READER, reading.of, reading.after, reading.limit);
      if (next.hasGap(reading.after)) {
        records.add(event.gap(reading.of, reading.after + 1, next.goneTo()));
        note(reading.of, reading.after + 1, next.goneTo());
        reading.after = next.goneTo();
      }
      for (Happened change : next.changes()) {
        records.addAll(event.records(reading.of, change));
        reading.after = change.change();
        reading.isOver = isLast(change);
      }
      reading.isEnd = next.changes().size() < reading.limit;
      int each = Math.max(1, (records.size() - before) / reading.limit);
      reading.limit = Math.clamp(SHARE_EVENTS / each, LEAST_CHANGES, MOST_CHANGES);
    }
  }

  private void bring(
      List<ProducerRecord<String, byte[]>> records, List<Reading> readings, Session to) {
    Map<String, Long> reached = new LinkedHashMap<>();
    Map<Unread, Long> read = new HashMap<>();
    for (Reading reading : readings) {
      if (reading.after > reading.from) {
        reached.put(reading.of.original(), reading.after);
      }
      if (reading.after > reading.of.cursor()) {
        read.put(reading.of, reading.after);
      }
    }
    if (!records.isEmpty()) {
      to.write(records, reached);
      sent.addAndGet(records.size());
    }
    feed.advance(READER, read);
    readings.stream().filter(reading -> reading.isOver).forEach(r -> to.end(r.of.original()));
  }

  /** Up to where events of a queue are in the topic, however far the ledger knows of it. */
  private static long from(Unread of, Session session) {
    long there = session.cursor(of.original());
    if (there > of.head()) {
      log.warn(
          "Kafka has events of {} up to change {}, and the ledger only up to {}: it has lost"
              + " changes, and what happens since is sent under numbers that were used before",
          of.queue(),
          there,
          of.head());
      return of.cursor();
    }
    return Math.max(of.cursor(), there);
  }

  private void note(Unread of, long from, long to) {
    gaps.incrementAndGet();
    log.warn(
        "events of {} were kept for as long as they may be and are gone: changes {} to {}",
        of.queue(),
        from,
        to);
  }

  private static boolean isLast(Happened change) {
    List<Event> events = change.events();
    return events.getLast().kind() == EventKind.DELETED;
  }
}
