package io.naru.server.webhooks;

import io.naru.journal.Event;
import io.naru.journal.Feed;
import io.naru.journal.Happened;
import io.naru.journal.Unread;
import io.naru.queue.EventKind;
import io.naru.server.keys.Beat;
import io.naru.webhook.Message;
import io.naru.webhook.Webhooks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes deliveries of what is decided: reads the journal beside everybody else who does, and writes
 * down what webhooks want of it, in one step with how far it has read. As long as there is a
 * webhook that wants any of it, it reads; without one nothing is noted for it.
 */
final class Feeder implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Feeder.class);

  static final String READER = "webhooks";

  private static final Duration BEAT = Duration.ofMillis(250);
  private static final Duration HOLD = Duration.ofSeconds(3);

  /** So often it says that it reads. */
  private static final long LISTEN_NANOS = Duration.ofSeconds(2).toNanos();

  private static final int MAX_QUEUES = 200;

  /** So many steps for one queue before the next has its turn. */
  private static final int MAX_STEPS = 16;

  /** A change of a step may have a thousand events. */
  private static final int CHANGES = 16;

  private final KnownWebhooks known;
  private final Webhooks store;
  private final Feed feed;
  private final String server = UUID.randomUUID().toString();
  private final Beat beat = new Beat("naru-webhook-feed", BEAT, this::beat);
  private final AtomicLong gaps = new AtomicLong();
  private boolean isListening;
  private long listenedAt;
  private boolean isSilent;

  Feeder(KnownWebhooks known, Feed feed) {
    this.known = known;
    this.store = known.store();
    this.feed = feed;
  }

  void start() {
    beat.start();
  }

  @Override
  public void close() {
    beat.close();
  }

  /** How many times events were gone before this server had read them. */
  long gaps() {
    return gaps.get();
  }

  /** Reads what there is to read. Outlives any failure. */
  void beat() {
    try {
      follow();
      if (isListening && feed.hold(READER, server, HOLD)) {
        feed.unread(READER, MAX_QUEUES).forEach(this::read);
      }
      isSilent = false;
    } catch (RuntimeException e) {
      if (!isSilent && !beat.isClosed()) {
        log.warn("webhooks have to wait for what happens: {}", e.getMessage());
        isSilent = true;
      }
    }
  }

  private Set<EventKind> wanted() {
    Set<EventKind> wanted = EnumSet.noneOf(EventKind.class);
    for (EventKind kind : EventKind.values()) {
      if (known.isWanted(kind.word())) {
        wanted.add(kind);
      }
    }
    return wanted;
  }

  /** Reads from the first webhook on that wants anything, until the last one has gone. */
  synchronized void follow() {
    boolean isWanted = !wanted().isEmpty();
    long now = System.nanoTime();
    if (isWanted && (!isListening || now - listenedAt >= LISTEN_NANOS)) {
      feed.listen(READER);
      isListening = true;
      listenedAt = now;
    } else if (!isWanted && isListening) {
      isListening = false;
      feed.end(READER);
      known.learn();
      if (!wanted().isEmpty()) {
        // Another server has a new one, just now.
        feed.listen(READER);
        isListening = true;
      }
    }
  }

  private void read(Unread unread) {
    Unread of = unread;
    for (int i = 0; i < MAX_STEPS && of.cursor() < of.head() && !beat.isClosed(); i++) {
      Feed.Stretch next = feed.happened(READER, of, of.cursor(), CHANGES);
      List<Happened> changes = next.changes();
      long to = changes.isEmpty() ? of.head() : changes.getLast().change();
      // After that was read: whoever wanted to be told of it was there before it happened.
      known.learn();
      if (!store.feed(READER, of, to, messages(of, changes, wanted()))) {
        // Somebody else goes on.
        return;
      }
      if (next.hasGap(of.cursor())) {
        gaps.incrementAndGet();
        log.warn(
            "events of {} up to change {} are gone before webhooks were told of them",
            of.queue(),
            next.goneTo());
      }
      of = at(of, to);
    }
  }

  private static List<Message> messages(Unread of, List<Happened> changes, Set<EventKind> wanted) {
    List<Message> messages = new ArrayList<>();
    for (Happened change : changes) {
      for (Event event : change.events()) {
        if (wanted.contains(event.kind())) {
          messages.add(Messages.of(of, change, event));
        }
      }
    }
    return messages;
  }

  private static Unread at(Unread of, long cursor) {
    return new Unread(
        of.id(), of.queue(), of.original(), cursor, of.head(), of.oldestAt(), of.now());
  }
}
