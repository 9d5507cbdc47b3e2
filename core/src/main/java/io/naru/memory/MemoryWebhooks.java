package io.naru.memory;

import static java.util.Comparator.comparingLong;

import io.naru.audit.Act;
import io.naru.audit.AuditTrail;
import io.naru.journal.Feed;
import io.naru.journal.Unread;
import io.naru.queue.Actor;
import io.naru.queue.Micros;
import io.naru.queue.QueueId;
import io.naru.webhook.Delivery;
import io.naru.webhook.Delivery.State;
import io.naru.webhook.Message;
import io.naru.webhook.Tried;
import io.naru.webhook.Webhook;
import io.naru.webhook.Webhooks;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Webhooks of one server, which end with its process. */
public final class MemoryWebhooks implements Webhooks {

  private final TreeMap<String, Of> all = new TreeMap<>();
  private final Map<Sign, Long> signs = new HashMap<>();
  private final AuditTrail trail;
  private final Feed feed;
  private final InstantSource clock;
  private long lastNumber;

  private record Sign(QueueId queue, String kind) {}

  /** One of them. */
  private static final class Of {
    Kept kept;

    /** By the id of the message, in the order in which they were written down. */
    final Map<String, Delivery> deliveries = new LinkedHashMap<>();

    /** When those that are on their way were written down, or replayed. */
    final Map<String, Long> begun = new HashMap<>();

    String holder = "";
    long heldUntil;
    int failures;
    long restsUntil;

    Of(Kept kept) {
      this.kept = kept;
    }

    /** A time that is too far off is one of a clock that has been set since. */
    boolean isHeld(long now) {
      return heldUntil > now && heldUntil <= now + LONGEST_LEASE;
    }

    boolean rests(long now) {
      return restsUntil > now && restsUntil <= now + LONGEST_REST;
    }

    Webhook webhook() {
      return kept.webhook();
    }

    /** How many are on their way. */
    int pending;

    void put(Delivery delivery) {
      Delivery before = deliveries.put(delivery.message().id(), delivery);
      pending += (isPending(delivery) ? 1 : 0) - (isPending(before) ? 1 : 0);
    }

    private static boolean isPending(@Nullable Delivery delivery) {
      return delivery != null && delivery.state() == State.PENDING;
    }

    Collection<Delivery> in(State state) {
      return deliveries.values().stream().filter(d -> d.state() == state).toList();
    }
  }

  public MemoryWebhooks(AuditTrail trail, Feed feed, InstantSource clock) {
    this.trail = trail;
    this.feed = feed;
    this.clock = clock;
  }

  private long now() {
    return Micros.now(clock);
  }

  @Override
  public synchronized List<Kept> kept() {
    return all.values().stream().map(of -> of.kept).toList();
  }

  @Override
  public synchronized Added add(Kept kept, Actor by) {
    if (all.size() >= MAX_KEPT) {
      return Added.TOO_MANY;
    }
    if (isNameTaken(kept.webhook())) {
      return Added.NAME_TAKEN;
    }
    all.put(kept.webhook().id(), new Of(kept));
    trail.note(kept.webhook().act(by, Act.Kind.WEBHOOK_ADD, null));
    return Added.DONE;
  }

  private boolean isNameTaken(Webhook by) {
    return all.values().stream()
        .map(Of::webhook)
        .anyMatch(other -> other.name().equals(by.name()) && !other.id().equals(by.id()));
  }

  @Override
  public synchronized Changed replace(Webhook read, Kept next, Act act) {
    Of of = all.get(read.id());
    if (of == null || of.webhook().version() != read.version()) {
      return Changed.OTHER;
    }
    if (isNameTaken(next.webhook())) {
      return Changed.NAME_TAKEN;
    }
    of.kept = next;
    of.failures = 0;
    of.restsUntil = 0;
    if (next.webhook().isEnded()) {
      of.in(State.PENDING).forEach(d -> of.put(failed(d, next.webhook().because())));
    }
    trail.note(act);
    return Changed.DONE;
  }

  @Override
  public synchronized boolean delete(String id, Actor by) {
    Of gone = all.remove(id);
    if (gone != null) {
      trail.note(gone.webhook().act(by, Act.Kind.WEBHOOK_DELETE, gone.webhook()));
    }
    return gone != null;
  }

  @Override
  public synchronized boolean test(String webhook, Message message, Actor by) {
    Of of = all.get(webhook);
    if (of == null || of.webhook().isEnded()) {
      return false;
    }
    of.restsUntil = 0;
    write(of, message);
    trail.note(new Act(by, Act.Kind.WEBHOOK_TEST, null, Map.of(), Map.of("id", webhook)));
    return true;
  }

  private void write(Of of, Message message) {
    if (of.deliveries.containsKey(message.id())) {
      return;
    }
    long now = now();
    boolean isRoom = of.pending < MAX_PENDING;
    of.put(
        new Delivery(
            ++lastNumber,
            of.webhook().id(),
            message,
            isRoom ? State.PENDING : State.FAILED,
            now,
            0,
            now,
            0,
            0,
            isRoom ? "" : BACKLOG_FULL));
    of.begun.put(message.id(), now);
  }

  /** For all who want it. */
  private void write(Message message) {
    all.values().stream()
        .filter(of -> of.webhook().wants(message.kind(), message.queue()))
        .forEach(of -> write(of, message));
  }

  @Override
  public synchronized boolean feed(String reader, Unread from, long to, List<Message> messages) {
    boolean isNext = feed.advance(reader, from, to);
    if (isNext) {
      messages.forEach(this::write);
    }
    return isNext;
  }

  @Override
  public synchronized boolean raise(
      QueueId queue, String kind, Message message, long forgottenMicros) {
    long now = now();
    Long before = signs.put(new Sign(queue, kind), now);
    boolean isNew = before == null || Math.abs(now - before) > forgottenMicros;
    if (isNew) {
      write(message);
    }
    return isNew;
  }

  @Override
  public synchronized List<QueueId> raised(String kind, long forgottenMicros) {
    long now = now();
    return signs.entrySet().stream()
        .filter(sign -> sign.getKey().kind().equals(kind))
        .filter(sign -> Math.abs(now - sign.getValue()) <= forgottenMicros)
        .map(sign -> sign.getKey().queue())
        .sorted()
        .toList();
  }

  @Override
  public synchronized List<String> due(int limit) {
    long now = now();
    return all.values().stream()
        .filter(of -> !of.webhook().isEnded() && !of.isHeld(now) && !of.rests(now))
        .filter(of -> of.in(State.PENDING).stream().anyMatch(d -> d.dueAt() <= now))
        .limit(limit)
        .map(of -> of.webhook().id())
        .toList();
  }

  @Override
  public synchronized Optional<Claimed> claim(String webhook, String holder, long leaseMicros) {
    long now = now();
    Of of = all.get(webhook);
    if (of == null
        || of.webhook().isEnded()
        || of.rests(now)
        || (!of.holder.equals(holder) && of.isHeld(now))) {
      return Optional.empty();
    }
    of.holder = holder;
    of.heldUntil = now + leaseMicros;
    Delivery next =
        of.in(State.PENDING).stream()
            .filter(d -> d.dueAt() <= now)
            .min(comparingLong(Delivery::dueAt).thenComparingLong(Delivery::number))
            .orElse(null);
    return Optional.of(new Claimed(of.kept, of.failures, next));
  }

  @Override
  public synchronized Optional<Claimed> settle(
      Delivery delivery, Tried tried, String holder, long leaseMicros) {
    long now = now();
    Of of = all.get(delivery.webhook());
    if (of == null || !of.holder.equals(holder)) {
      return Optional.empty();
    }
    of.failures = tried.state() == State.DONE ? 0 : of.failures + 1;
    of.restsUntil = tried.restsUntil(now);
    Delivery known = of.deliveries.get(delivery.message().id());
    if (known != null && known.state() == State.PENDING) {
      of.put(
          new Delivery(
              known.number(),
              known.webhook(),
              known.message(),
              tried.state(),
              known.createdAt(),
              known.tries() + 1,
              now + tried.againMicros(),
              now,
              tried.status(),
              tried.error()));
    }
    return claim(delivery.webhook(), holder, leaseMicros);
  }

  @Override
  public synchronized void release(String webhook, String holder) {
    Of of = all.get(webhook);
    if (of != null && of.holder.equals(holder)) {
      of.heldUntil = 0;
    }
  }

  @Override
  public synchronized List<Delivery> deliveries(
      String webhook, @Nullable State state, long below, int limit) {
    Of of = all.get(webhook);
    return of == null
        ? List.of()
        : of.deliveries.values().stream()
            .filter(d -> d.number() < below && (state == null || d.state() == state))
            .sorted(comparingLong(Delivery::number).reversed())
            .limit(limit)
            .toList();
  }

  @Override
  public synchronized Optional<Delivery> delivery(String webhook, String message) {
    return Optional.ofNullable(all.get(webhook)).map(of -> of.deliveries.get(message));
  }

  @Override
  public synchronized Optional<Delivery> replay(String webhook, String message, Actor by) {
    Of of = all.get(webhook);
    Delivery known = of == null ? null : of.deliveries.get(message);
    if (of == null || known == null) {
      return Optional.empty();
    }
    replay(of, known);
    trail.note(replayed(by, webhook, 1));
    return Optional.ofNullable(of.deliveries.get(message));
  }

  @Override
  public synchronized int replayFailed(String webhook, long since, Actor by) {
    Of of = all.get(webhook);
    if (of == null) {
      return 0;
    }
    List<Delivery> failed =
        of.in(State.FAILED).stream()
            .filter(d -> d.createdAt() >= since)
            .sorted(comparingLong(Delivery::number).reversed())
            .limit(Math.max(0, MAX_PENDING - of.pending))
            .toList();
    failed.forEach(d -> replay(of, d));
    if (!failed.isEmpty()) {
      trail.note(replayed(by, webhook, failed.size()));
    }
    return failed.size();
  }

  private void replay(Of of, Delivery d) {
    long now = now();
    of.restsUntil = 0;
    of.begun.put(d.message().id(), now);
    of.put(
        new Delivery(
            d.number(),
            d.webhook(),
            d.message(),
            State.PENDING,
            d.createdAt(),
            0,
            now,
            d.triedAt(),
            d.status(),
            d.error()));
  }

  private static Act replayed(Actor by, String webhook, int count) {
    return new Act(
        by, Act.Kind.WEBHOOK_REPLAY, null, Map.of(), Map.of("id", webhook, "deliveries", count));
  }

  private static Delivery failed(Delivery d, String error) {
    return new Delivery(
        d.number(),
        d.webhook(),
        d.message(),
        State.FAILED,
        d.createdAt(),
        d.tries(),
        d.dueAt(),
        d.triedAt(),
        d.status(),
        error);
  }

  @Override
  public synchronized Backlog backlog() {
    List<Long> begun = new ArrayList<>();
    for (Of of : all.values()) {
      if (!of.webhook().isEnded()) {
        of.in(State.PENDING)
            .forEach(d -> begun.add(of.begun.getOrDefault(d.message().id(), d.createdAt())));
      }
    }
    return begun.isEmpty()
        ? Backlog.NONE
        : new Backlog(
            begun.size(), Math.max(0, now() - begun.stream().mapToLong(b -> b).min().orElse(0)));
  }

  @Override
  public synchronized void tidy() {
    long now = now();
    for (Of of : all.values()) {
      for (Delivery d : of.in(State.PENDING)) {
        if (of.begun.getOrDefault(d.message().id(), 0L) < now - PENDING_KEPT) {
          of.put(failed(d, NOT_IN_TIME));
        }
      }
      forget(of, State.DONE, now - DONE_KEPT, MAX_DONE);
      forget(of, State.FAILED, now - FAILED_KEPT, MAX_FAILED);
    }
    signs.values().removeIf(seen -> seen < now - DONE_KEPT);
  }

  private static void forget(Of of, State state, long before, int kept) {
    List<Delivery> some =
        of.in(state).stream().sorted(comparingLong(Delivery::number).reversed()).toList();
    for (int i = 0; i < some.size(); i++) {
      if (i >= kept || some.get(i).createdAt() < before) {
        of.deliveries.remove(some.get(i).message().id());
        of.begun.remove(some.get(i).message().id());
      }
    }
  }
}
