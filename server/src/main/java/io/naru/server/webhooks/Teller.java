package io.naru.server.webhooks;

import io.naru.journal.Feed;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import io.naru.queue.Secret;
import io.naru.server.metrics.Metrics;
import io.naru.webhook.Webhooks;
import io.vertx.core.Vertx;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * All that tells webhooks what happens: {@link Feeder} writes down what was decided, {@link Signs}
 * what servers see, and {@link Deliverer} sends it.
 */
public final class Teller implements AutoCloseable {

  private final KnownWebhooks known;
  private final Feeder feeder;
  private final Signs signs;
  private final Deliverer deliverer;

  /**
   * @param secret of this use alone
   * @param frozen the queues that are, as this server knows
   * @param version of this server, which receivers are told
   */
  public Teller(
      Vertx vertx,
      Webhooks store,
      Feed feed,
      Queues queues,
      Supplier<List<QueueId>> frozen,
      Secret secret,
      WebhookRules rules,
      String version,
      InstantSource clock) {
    known = new KnownWebhooks(store, secret, clock);
    feeder = new Feeder(known, feed);
    known.onChange(feeder::follow);
    signs = new Signs(known, queues, frozen, rules.tooLong());
    var targets = new Targets(rules.allowed(), Targets.Names.SYSTEM);
    deliverer = new Deliverer(known, new Sender(vertx, targets, clock), version, clock);
  }

  KnownWebhooks known() {
    return known;
  }

  public void start() {
    feeder.start();
    signs.start();
    deliverer.start();
  }

  public void watch(Metrics metrics) {
    metrics.webhooks(deliverer::pending, deliverer::oldestSeconds, feeder::gaps);
    for (Deliverer.Result result : Deliverer.Result.values()) {
      metrics.webhookTries(result.name().toLowerCase(Locale.ROOT), () -> deliverer.count(result));
    }
  }

  /** What an operator should know; empty if all is well. */
  public List<String> troubles() {
    return deliverer.troubles();
  }

  @Override
  public void close() {
    feeder.close();
    signs.close();
    deliverer.close();
  }
}
