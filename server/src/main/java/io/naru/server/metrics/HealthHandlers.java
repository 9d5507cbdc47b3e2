package io.naru.server.metrics;

import io.naru.server.http.Exchange;
import io.naru.server.http.Json;
import io.vertx.core.buffer.Buffer;

/** {@code /health/live} and {@code /health/ready}, for load balancers; details are not public. */
public final class HealthHandlers {

  private static final Buffer UP = Json.object(json -> json.writeStringProperty("status", "UP"));
  private static final Buffer DOWN =
      Json.object(json -> json.writeStringProperty("status", "DOWN"));

  private final Health health;

  public HealthHandlers(Health health) {
    this.health = health;
  }

  public void live(Exchange exchange) {
    exchange.json(200, UP);
  }

  public void ready(Exchange exchange) {
    boolean ready = health.isReady();
    exchange.json(ready ? 200 : 503, ready ? UP : DOWN);
  }
}
