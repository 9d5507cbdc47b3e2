package io.naru.server.metrics;

import io.naru.server.http.Exchange;
import io.naru.server.http.Json;
import io.naru.server.http.Route;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JsonGenerator;

/** The management port: metrics and what is behind the health. */
public final class Management {

  private final Metrics metrics;
  private final Health health;
  private final Map<String, String> stores;

  /**
   * @param stores what the line and the ledger are, for people
   */
  public Management(Metrics metrics, Health health, Map<String, String> stores) {
    this.metrics = metrics;
    this.health = health;
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

  private void scrape(Exchange exchange) {
    exchange
        .response()
        .putHeader(HttpHeaders.CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")
        .end(Buffer.buffer(metrics.scrape()));
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
