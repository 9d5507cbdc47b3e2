package io.naru.server.webhooks;

import static io.naru.queue.Micros.PER_SECOND;

import io.naru.queue.QueueUnavailable;
import io.naru.server.keys.Beat;
import io.naru.webhook.Delivery;
import io.naru.webhook.Tried;
import io.naru.webhook.Webhook;
import io.naru.webhook.Webhooks;
import io.naru.webhook.Webhooks.Backlog;
import io.naru.webhook.Webhooks.Claimed;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends what is on its way to webhooks. Every server does: to one webhook at a time whoever took
 * it, one delivery after the other, in order as far as first tries go; to all of them at once, so
 * that a slow one holds up nobody else. What they share is the store, and for that they take turns.
 * Whoever dies in between is forgotten after a minute, and somebody else sends the same again,
 * under the same id.
 */
final class Deliverer implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Deliverer.class);

  /** To so many webhooks this server sends at once: all that there may be. */
  static final int MAX_AT_ONCE = Webhooks.MAX_KEPT;

  /** So many of them ask the store at once; the others wait in line, or for their receivers. */
  private static final int MAX_ASKING = 4;

  private static final Duration BEAT = Duration.ofMillis(500);
  private static final Duration HOUSEKEEPING = Duration.ofSeconds(5);
  private static final Duration TIDYING = Duration.ofMinutes(1);

  /** Several times as long as a try may take; with every try it begins anew. */
  private static final long LEASE_MICROS = 60 * PER_SECOND;

  private static final Duration GOING = Duration.ofSeconds(1);

  /** From when on operators are told that something does not arrive. */
  private static final long LATE_MICROS = 300 * PER_SECOND;

  private final KnownWebhooks known;
  private final Webhooks store;
  private final Sender sender;
  private final String version;
  private final InstantSource clock;
  private final String holder = UUID.randomUUID().toString();
  private final Beat beat = new Beat("naru-webhooks", BEAT, this::beat);
  private final Semaphore asking = new Semaphore(MAX_ASKING, true);
  private final Set<String> underWay = ConcurrentHashMap.newKeySet();
  private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
  private final Map<Result, AtomicLong> counts = new ConcurrentHashMap<>();
  private volatile Backlog backlog = Backlog.NONE;
  private volatile boolean isClosed;
  private boolean isSilent;
  private long keptHouseAt = System.nanoTime() - HOUSEKEEPING.toNanos();
  private long tidiedAt = System.nanoTime();

  /** What came of a try, for whoever counts. */
  enum Result {
    DONE,
    /** It is tried again. */
    AGAIN,
    FAILED,
    /** The receiver wants to hear no more. */
    GONE
  }

  /**
   * @param version of this server, which receivers are told
   */
  Deliverer(KnownWebhooks known, Sender sender, String version, InstantSource clock) {
    this.known = known;
    this.store = known.store();
    this.sender = sender;
    this.version = version;
    this.clock = clock;
    for (Result result : Result.values()) {
      counts.put(result, new AtomicLong());
    }
  }

  void start() {
    beat.start();
  }

  @Override
  public void close() {
    isClosed = true;
    beat.close();
    threads.forEach(Thread::interrupt);
    try {
      long end = System.nanoTime() + GOING.toNanos();
      for (Thread thread : threads) {
        boolean _ = thread.join(Duration.ofNanos(end - System.nanoTime()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    sender.close();
  }

  /** How many tries came to that, on this server. */
  long count(Result result) {
    return counts.getOrDefault(result, new AtomicLong()).get();
  }

  /** How many deliveries are on their way, on all servers. */
  long pending() {
    return backlog.pending();
  }

  /** For how long the first of them has been. */
  double oldestSeconds() {
    return backlog.oldestMicros() / (double) PER_SECOND;
  }

  /** What an operator should know; empty if all is well. */
  List<String> troubles() {
    Backlog now = backlog;
    return now.oldestMicros() < LATE_MICROS
        ? List.of()
        : List.of(
            "%s deliveries to webhooks have not arrived, the first for %s s"
                .formatted(now.pending(), now.oldestMicros() / PER_SECOND));
  }

  /** Looks whether there is anything to send. Outlives any failure. */
  void beat() {
    try {
      keepHouse();
      if (known.all().stream().anyMatch(webhook -> !webhook.isEnded())) {
        store.due(MAX_AT_ONCE).forEach(this::begin);
      }
      isSilent = false;
    } catch (RuntimeException e) {
      if (!isSilent && !isClosed) {
        log.warn("deliveries to webhooks have to wait: {}", e.getMessage());
        isSilent = true;
      }
    }
  }

  private void keepHouse() {
    long now = System.nanoTime();
    known.learn();
    if (known.all().isEmpty() && backlog.pending() == 0) {
      return;
    }
    if (now - keptHouseAt >= HOUSEKEEPING.toNanos()) {
      keptHouseAt = now;
      backlog = store.backlog();
    }
    if (now - tidiedAt >= TIDYING.toNanos()) {
      tidiedAt = now;
      store.tidy();
    }
  }

  private void begin(String webhook) {
    if (!isClosed && underWay.size() < MAX_AT_ONCE && underWay.add(webhook)) {
      Thread thread =
          Thread.ofVirtual().name("naru-webhook-" + webhook).unstarted(() -> run(webhook));
      threads.add(thread);
      thread.start();
    }
  }

  private void run(String webhook) {
    try {
      deliver(webhook);
    } catch (QueueUnavailable e) {
      log.debug("deliveries to webhook {} have to wait", webhook, e);
    } catch (RuntimeException e) {
      if (!isClosed) {
        log.error("deliveries to webhook {} have to wait", webhook, e);
      }
    } finally {
      underWay.remove(webhook);
      threads.remove(Thread.currentThread());
    }
  }

  private <T> T inTurn(Supplier<T> question) {
    asking.acquireUninterruptibly();
    try {
      return question.get();
    } finally {
      asking.release();
    }
  }

  private void deliver(String webhook) {
    try {
      Optional<Claimed> claimed = inTurn(() -> store.claim(webhook, holder, LEASE_MICROS));
      while (claimed.isPresent() && !isClosed) {
        Delivery next = claimed.get().next();
        if (next == null) {
          return;
        }
        claimed = deliver(claimed.get(), next);
      }
    } finally {
      // Also of a server that stops: nobody has to wait until it is forgotten.
      boolean wasInterrupted = Thread.interrupted();
      inTurn(
          () -> {
            store.release(webhook, holder);
            return webhook;
          });
      if (wasInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private Optional<Claimed> deliver(Claimed claimed, Delivery delivery) {
    Answer answer = post(claimed, delivery);
    if (isClosed && answer.status() == 0) {
      // It was not the receiver who failed.
      return Optional.empty();
    }
    Webhook to = claimed.kept().webhook();
    // Of an address that it had before, it is a failure like any other.
    boolean isGone = answer.isGone() && inTurn(() -> known.isAt(to));
    Tried tried = tried(answer, isGone, claimed, delivery);
    Result result = result(tried, isGone);
    Optional<Claimed> next = inTurn(() -> store.settle(delivery, tried, holder, LEASE_MICROS));
    counts.getOrDefault(result, new AtomicLong()).incrementAndGet();
    say(to, delivery, answer, result);
    if (isGone) {
      inTurn(
          () -> {
            known.end(to, "its receiver answered 410: it wants to hear no more");
            return to;
          });
      return Optional.empty();
    }
    return next;
  }

  private Answer post(Claimed claimed, Delivery delivery) {
    List<String> secrets;
    try {
      secrets = known.secrets(claimed.kept());
    } catch (IllegalArgumentException e) {
      return Answer.none(String.valueOf(e.getMessage()));
    }
    String id = delivery.message().id();
    String body = delivery.message().body();
    long seconds = clock.instant().getEpochSecond();
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("Content-Type", "application/json");
    headers.put("User-Agent", "Naru/" + version);
    headers.put("webhook-id", id);
    headers.put("webhook-timestamp", Long.toString(seconds));
    headers.put("webhook-signature", Signing.sign(secrets, id, seconds, body));
    return sender.post(claimed.kept().webhook().url(), headers, body);
  }

  private static Tried tried(Answer answer, boolean isGone, Claimed claimed, Delivery delivery) {
    if (answer.isDone()) {
      return Tried.done(answer.status());
    }
    return isGone
        ? new Tried(Delivery.State.FAILED, answer.status(), answer.error(), 0, 0)
        : Retries.failed(
            answer, delivery.tries(), claimed.failures(), ThreadLocalRandom.current().nextDouble());
  }

  private static Result result(Tried tried, boolean isGone) {
    return switch (tried.state()) {
      case DONE -> Result.DONE;
      case PENDING -> Result.AGAIN;
      case FAILED -> isGone ? Result.GONE : Result.FAILED;
    };
  }

  /** Neither what was sent nor all of the address, which may have a secret in it. */
  private static void say(Webhook webhook, Delivery delivery, Answer answer, Result result) {
    switch (result) {
      case DONE, AGAIN ->
          log.debug(
              "{} to webhook {} ({}): {}", delivery.message().id(), webhook.name(), result, answer);
      case FAILED ->
          log.warn(
              "webhook {} at {} did not take {} in {} tries, the last: {}; an operator may replay it",
              webhook.name(),
              webhook.host(),
              delivery.message().id(),
              Retries.MAX_TRIES,
              answer.error());
      case GONE ->
          log.warn(
              "webhook {} at {} answered 410: nothing is sent there any more",
              webhook.name(),
              webhook.host());
    }
  }
}
