package io.naru.ledger;

import io.naru.audit.Act;
import io.naru.journal.Unread;
import io.naru.queue.Actor;
import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import io.naru.queue.QueueUnavailable.Kind;
import io.naru.webhook.Delivery;
import io.naru.webhook.Delivery.State;
import io.naru.webhook.Message;
import io.naru.webhook.Tried;
import io.naru.webhook.Webhook;
import io.naru.webhook.Webhooks;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Webhooks in the ledger. Each step is one transaction whose first statement writes: a database
 * with one lock for all would not let who has read before.
 */
final class LedgerWebhooks implements Webhooks {

  private static final long SIGNS_KEPT = 24 * 3_600_000_000L;

  private static final int STEP = 1_000;

  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final Acting acting;

  /**
   * One step at a time, however many webhooks there are: connections are few, and visitors wait for
   * them.
   */
  private final Semaphore turn = new Semaphore(1, true);

  LedgerWebhooks(Acting acting) {
    this.acting = acting;
  }

  private <T> T run(String operation, Acting.Step<T> step) {
    try {
      if (!turn.tryAcquire(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new QueueUnavailable(Kind.OVERLOADED, "too busy with webhooks to " + operation);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new QueueUnavailable(Kind.OVERLOADED, "interrupted; could not " + operation);
    }
    try {
      return acting.run(operation, step);
    } finally {
      turn.release();
    }
  }

  @Override
  public List<Kept> kept() {
    return run("read the webhooks", (rows, _) -> rows.webhooks().kept());
  }

  @Override
  public Added add(Kept kept, Actor by) {
    if (kept().size() >= MAX_KEPT) {
      return Added.TOO_MANY;
    }
    return run(
        "keep a webhook",
        (rows, trail) -> {
          boolean isAdded = rows.webhooks().insert(kept);
          trail.note(isAdded ? kept.webhook().act(by, Act.Kind.WEBHOOK_ADD, null) : null);
          return isAdded ? Added.DONE : Added.NAME_TAKEN;
        });
  }

  @Override
  public Changed replace(Webhook read, Kept next, Act act) {
    boolean isTaken =
        run("look for a webhook's name", (rows, _) -> rows.webhooks().isNameTaken(next.webhook()));
    if (isTaken) {
      return Changed.NAME_TAKEN;
    }
    return run(
        "change a webhook",
        (rows, trail) -> {
          if (!rows.webhooks().replace(read, next)) {
            return Changed.OTHER;
          }
          if (next.webhook().isEnded()) {
            rows.deliveries().fail(next.webhook().id(), Long.MAX_VALUE, next.webhook().because());
          }
          trail.note(act);
          return Changed.DONE;
        });
  }

  @Override
  public boolean delete(String id, Actor by) {
    Optional<Webhook> known = run("find a webhook", (rows, _) -> rows.webhooks().find(id));
    if (known.isEmpty()) {
      return false;
    }
    boolean isDeleted =
        run(
            "delete a webhook",
            (rows, trail) -> {
              boolean isGone = rows.webhooks().delete(id);
              Webhook gone = known.get();
              trail.note(isGone ? gone.act(by, Act.Kind.WEBHOOK_DELETE, gone) : null);
              return isGone;
            });
    forgetAll(id);
    return isDeleted;
  }

  private void forgetAll(String webhook) {
    boolean isMore = true;
    while (isMore) {
      isMore = run("forget deliveries", (rows, _) -> rows.deliveries().forgetSome(webhook, STEP));
    }
  }

  @Override
  public boolean test(String webhook, Message message, Actor by) {
    return run(
        "write a delivery down",
        (rows, trail) -> {
          if (!rows.webhooks().wake(webhook)) {
            return false;
          }
          rows.deliveries().insert(webhook, List.of(message), rows.now());
          trail.note(tested(by, webhook));
          return true;
        });
  }

  private static Act tested(Actor by, String webhook) {
    return new Act(by, Act.Kind.WEBHOOK_TEST, null, Map.of(), Map.of("id", webhook));
  }

  @Override
  public boolean feed(String reader, Unread from, long to, List<Message> messages) {
    return run(
        "write deliveries down",
        (rows, _) -> {
          boolean isNext = rows.events().advance(reader, from, to);
          if (isNext && !messages.isEmpty()) {
            rows.deliveries().insert(rows.webhooks().kept(), messages, rows.now());
          }
          return isNext;
        });
  }

  @Override
  public boolean raise(QueueId queue, String kind, Message message, long forgottenMicros) {
    return run(
        "tell what a server saw",
        (rows, _) -> {
          long now = rows.now();
          boolean isNew = rows.webhooks().see(queue, kind, now, forgottenMicros);
          if (isNew) {
            rows.deliveries().insert(rows.webhooks().kept(), List.of(message), now);
          }
          return isNew;
        });
  }

  @Override
  public List<QueueId> raised(String kind, long forgottenMicros) {
    return run(
        "read what servers saw",
        (rows, _) -> rows.webhooks().seen(kind, rows.now(), forgottenMicros));
  }

  @Override
  public List<String> due(int limit) {
    return run("look for deliveries", (rows, _) -> rows.webhooks().due(rows.now(), limit));
  }

  @Override
  public Optional<Claimed> claim(String webhook, String holder, long leaseMicros) {
    return run(
        "take a webhook", (rows, _) -> claim(rows, webhook, holder, rows.now(), leaseMicros));
  }

  private static Optional<Claimed> claim(
      Rows rows, String webhook, String holder, long now, long leaseMicros) throws SQLException {
    boolean isClaimed = rows.webhooks().claim(webhook, holder, now, now + leaseMicros);
    return isClaimed
        ? rows.webhooks().claimed(webhook, rows.deliveries().next(webhook, now))
        : Optional.empty();
  }

  @Override
  public Optional<Claimed> settle(Delivery delivery, Tried tried, String holder, long leaseMicros) {
    return run(
        "note a delivery",
        (rows, _) -> {
          long now = rows.now();
          boolean isFailed = tried.state() != State.DONE;
          long restsUntil = tried.restsUntil(now);
          if (!rows.webhooks().tried(delivery.webhook(), holder, isFailed, restsUntil)) {
            return Optional.empty();
          }
          rows.deliveries().settle(delivery, tried, now);
          return claim(rows, delivery.webhook(), holder, now, leaseMicros);
        });
  }

  @Override
  public void release(String webhook, String holder) {
    run(
        "let go of a webhook",
        (rows, _) -> {
          rows.webhooks().release(webhook, holder);
          return holder;
        });
  }

  @Override
  public List<Delivery> deliveries(String webhook, @Nullable State state, long below, int limit) {
    return run(
        "list deliveries", (rows, _) -> rows.deliveries().list(webhook, state, below, limit));
  }

  @Override
  public Optional<Delivery> delivery(String webhook, String message) {
    return run("find a delivery", (rows, _) -> rows.deliveries().find(webhook, message));
  }

  @Override
  public Optional<Delivery> replay(String webhook, String message, Actor by) {
    return run(
        "send a delivery again",
        (rows, trail) -> {
          rows.webhooks().wake(webhook);
          if (!rows.deliveries().replay(webhook, message, rows.now())) {
            return Optional.empty();
          }
          trail.note(replayed(by, webhook, 1));
          return rows.deliveries().find(webhook, message);
        });
  }

  @Override
  public int replayFailed(String webhook, long since, Actor by) {
    return run(
        "send deliveries again",
        (rows, trail) -> {
          rows.webhooks().wake(webhook);
          int count = rows.deliveries().replayFailed(webhook, since, rows.now());
          trail.note(count == 0 ? null : replayed(by, webhook, count));
          return count;
        });
  }

  private static Act replayed(Actor by, String webhook, int count) {
    return new Act(
        by, Act.Kind.WEBHOOK_REPLAY, null, Map.of(), Map.of("id", webhook, "deliveries", count));
  }

  @Override
  public Backlog backlog() {
    return run("count deliveries", (rows, _) -> rows.deliveries().backlog(rows.now()));
  }

  @Override
  public void tidy() {
    List<String> known = new ArrayList<>();
    kept().forEach(kept -> known.add(kept.webhook().id()));
    String webhook = after("");
    while (webhook != null) {
      if (known.contains(webhook)) {
        forgetOld(webhook);
      } else {
        // Whoever deleted it did not get to the end.
        forgetAll(webhook);
      }
      webhook = after(webhook);
    }
    run(
        "forget what servers saw",
        (rows, _) -> {
          rows.webhooks().forgetSigns(rows.now() - SIGNS_KEPT);
          return known;
        });
  }

  private @Nullable String after(String webhook) {
    return run(
            "look for old deliveries",
            (rows, _) -> Optional.ofNullable(rows.deliveries().webhookAfter(webhook)))
        .orElse(null);
  }

  private void forgetOld(String webhook) {
    run(
        "forget old deliveries",
        (rows, _) -> {
          long now = rows.now();
          rows.deliveries().fail(webhook, now - PENDING_KEPT, NOT_IN_TIME);
          rows.deliveries().forget(webhook, State.DONE, now - DONE_KEPT, MAX_DONE);
          rows.deliveries().forget(webhook, State.FAILED, now - FAILED_KEPT, MAX_FAILED);
          return webhook;
        });
  }
}
