package io.naru.server.webhooks;

import io.naru.access.Reach;
import io.naru.audit.Act;
import io.naru.queue.Actor;
import io.naru.queue.Micros;
import io.naru.queue.QueueUnavailable;
import io.naru.queue.Secret;
import io.naru.server.keys.Sealing;
import io.naru.webhook.Webhook;
import io.naru.webhook.Webhooks;
import io.naru.webhook.Webhooks.Added;
import io.naru.webhook.Webhooks.Changed;
import io.naru.webhook.Webhooks.Kept;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The webhooks as this server knows them, which {@link #learn} reads again; all that changes one
 * asks the store, which all servers share, and blocks.
 */
final class KnownWebhooks {

  /** For so long a secret signs beside the next one, if nobody says otherwise. */
  static final Duration OVERLAP = Duration.ofHours(24);

  private static final int MAX_TRIES = 8;

  private final Webhooks store;
  private final Sealing sealing;
  private final InstantSource clock;
  private volatile List<Webhook> known = List.of();
  private volatile Runnable listener = () -> {};

  /** A webhook with the secret that it has just got, which is shown once. */
  record Rotated(Outcome outcome, @Nullable Webhook webhook, String secret) {}

  /** What came of a change. */
  enum Outcome {
    DONE,
    NOT_FOUND,
    NAME_TAKEN,
    TOO_MANY
  }

  /** What an operator makes of a webhook. */
  interface Step {
    Webhook take(Webhook now);
  }

  KnownWebhooks(Webhooks store, Secret secret, InstantSource clock) {
    this.store = store;
    this.sealing = Secrets.sealing(secret);
    this.clock = clock;
  }

  Webhooks store() {
    return store;
  }

  long now() {
    return Micros.now(clock);
  }

  /** Tells whoever has to know, before an operator is answered, that there are others now. */
  void onChange(Runnable told) {
    listener = told;
  }

  private void changed() {
    learn();
    listener.run();
  }

  /** Reads them again. */
  void learn() {
    known = store.kept().stream().map(Kept::webhook).toList();
  }

  /** As last read. */
  List<Webhook> all() {
    return known;
  }

  /** Whether any of them is told of this. */
  boolean isWanted(String kind) {
    return known.stream().anyMatch(webhook -> webhook.wants(kind, null));
  }

  /** The secrets that sign now. */
  List<String> secrets(Kept kept) {
    return Secrets.read(sealing, kept.webhook().id(), kept.secrets()).good(now());
  }

  Optional<Kept> find(String id) {
    return store.kept().stream().filter(kept -> kept.webhook().id().equals(id)).findFirst();
  }

  /**
   * @param name null for its id
   */
  Rotated add(@Nullable String name, String url, Reach reach, List<String> events, Actor by) {
    long now = now();
    String id =
        String.format(Locale.ROOT, "%013x%04x", now, ThreadLocalRandom.current().nextInt(1 << 16));
    var webhook =
        new Webhook(id, name == null ? id : name, url, reach, events, now, by.who(), 1, 0, 0, "");
    String secret = Signing.secret();
    Added added = store.add(new Kept(webhook, Secrets.of(secret).text(sealing, id)), by);
    changed();
    return new Rotated(
        switch (added) {
          case DONE -> Outcome.DONE;
          case NAME_TAKEN -> Outcome.NAME_TAKEN;
          case TOO_MANY -> Outcome.TOO_MANY;
        },
        webhook,
        secret);
  }

  /** Changes what an operator says of one. */
  Rotated edit(String id, Step step, Actor by) {
    return change(
        id,
        kept -> {
          Webhook next = step.take(kept.webhook());
          Act act = next.act(by, Act.Kind.WEBHOOK_EDIT, kept.webhook());
          return new Change(new Kept(next, kept.secrets()), act, "");
        });
  }

  /** A new secret; those before sign beside it for so long. */
  Rotated rotate(String id, Duration overlap, Actor by) {
    return change(
        id,
        kept -> {
          Secrets before = Secrets.read(sealing, id, kept.secrets());
          if (before.good(now()).size() >= Secrets.MAX) {
            return null;
          }
          String secret = Signing.secret();
          long until = now() + overlap.toMillis() * 1_000;
          Secrets after = before.rotated(secret, until, now());
          Webhook next = kept.webhook().rotating(after.rotatingUntil());
          Act act = next.act(by, Act.Kind.WEBHOOK_ROTATE, kept.webhook());
          return new Change(new Kept(next, after.text(sealing, id)), act, secret);
        });
  }

  /** Whether that is still where it leads. */
  boolean isAt(Webhook tried) {
    return find(tried.id()).filter(kept -> kept.webhook().url().equals(tried.url())).isPresent();
  }

  /** Its receiver said that nobody wants to hear any more; another one would not know of it. */
  void end(Webhook tried, String because) {
    change(
        tried.id(),
        kept -> {
          if (!kept.webhook().url().equals(tried.url())) {
            return null;
          }
          Webhook next = kept.webhook().ended(now(), because);
          Act act = next.act(Actor.SYSTEM, Act.Kind.WEBHOOK_END, kept.webhook());
          return new Change(new Kept(next, kept.secrets()), act, "");
        });
  }

  boolean delete(String id, Actor by) {
    boolean isDeleted = store.delete(id, by);
    changed();
    return isDeleted;
  }

  private record Change(Kept next, Act act, String secret) {}

  private interface Changing {
    /** Null if it must stay as it is: with too many secrets, or at another address. */
    @Nullable Change of(Kept kept);
  }

  /** Reads, changes, and writes if nobody else did in between; else once more. */
  private Rotated change(String id, Changing changing) {
    for (int i = 0; i < MAX_TRIES; i++) {
      Kept kept = find(id).orElse(null);
      if (kept == null) {
        return new Rotated(Outcome.NOT_FOUND, null, "");
      }
      Change change = changing.of(kept);
      if (change == null) {
        return new Rotated(Outcome.TOO_MANY, kept.webhook(), "");
      }
      Changed changed = store.replace(kept.webhook(), change.next(), change.act());
      if (changed != Changed.OTHER) {
        changed();
        boolean isDone = changed == Changed.DONE;
        return new Rotated(
            isDone ? Outcome.DONE : Outcome.NAME_TAKEN, change.next().webhook(), change.secret());
      }
    }
    throw new QueueUnavailable(
        QueueUnavailable.Kind.OVERLOADED, "too many change this webhook at once");
  }
}
