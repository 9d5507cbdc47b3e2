package io.naru.server.metrics;

import io.naru.queue.Queues;
import io.naru.server.http.Exchange;
import io.naru.server.http.Json;
import io.naru.server.http.Route;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import tools.jackson.core.JsonGenerator;

/** The management port: metrics and what is behind the health. */
public final class Management {

  private static final Duration FRESH = Duration.ofMillis(500);

  private final Metrics metrics;
  private final Health health;
  private final Queues queues;
  private final Map<String, String> stores;
  private final Executor aside = Executors.newVirtualThreadPerTaskExecutor();

  /** When the queues were last added up, as far as scrapes that come at the same time care. */
  private volatile long addedUpAt = System.nanoTime() - FRESH.toNanos();

  /**
   * @param queues whose figures are shown
   * @param stores what the line and the ledger are, for people
   */
  public Management(Metrics metrics, Health health, Queues queues, Map<String, String> stores) {
    this.metrics = metrics;
    this.health = health;
    this.queues = queues;
    this.stores = stores;
  }

  public List<Route> routes() {
    return List.of(
        new Route(
            HttpMethod.GET,
            "/metrics",
            Route.Audience.PUBLIC,
            Route.Pages.ANY,
            Route.Body.NONE,
            this::scrape),
        new Route(
            HttpMethod.GET,
            "/health",
            Route.Audience.PUBLIC,
            Route.Pages.ANY,
            Route.Body.NONE,
            this::details));
  }

  /** Not on an event loop: to add thousands of queues up and to write them down takes a while. */
  private void scrape(Exchange exchange) {
    exchange.then(
        CompletableFuture.supplyAsync(this::addUp, aside)
            .thenCompose(added -> added)
            .thenApplyAsync(_ -> Buffer.buffer(metrics.scrape()), aside),
        text ->
            exchange
                .response()
                .putHeader(HttpHeaders.CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")
                .end(text));
  }

  /** While the store does not answer, figures are as they were last known. */
  private CompletionStage<?> addUp() {
    if (System.nanoTime() - addedUpAt < FRESH.toNanos()) {
      return CompletableFuture.completedStage(null);
    }
    addedUpAt = System.nanoTime();
    return queues
        .summary(metrics.maxQueues())
        .handleAsync(
            (summary, failure) -> {
              if (failure == null) {
                metrics.update(summary);
              }
              return null;
            },
            aside);
  }

  private void details(Exchange exchange) {
    exchange.json(health.isReady() ? 200 : 503, Json.object(this::writeDetails));
  }

  private void writeDetails(JsonGenerator json) {
    json.writeStringProperty("status", health.isReady() ? "UP" : "DOWN");
    json.writeNumberProperty("sinceSeconds", health.since().toSeconds());
    for (Map.Entry<String, String> store : stores.entrySet()) {
      json.writeStringProperty(store.getKey(), store.getValue());
    }
    List<String> degraded = health.degraded();
    if (!degraded.isEmpty()) {
      json.writeStringProperty("degraded", String.join("; ", degraded));
    }
  }
}
