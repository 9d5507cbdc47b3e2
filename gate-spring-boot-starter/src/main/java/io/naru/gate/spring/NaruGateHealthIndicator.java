package io.naru.gate.spring;

import io.naru.gate.Gate;
import io.naru.gate.GateStatus;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Out of service until what Naru publishes has arrived once, since everybody is refused until then.
 * Up from then on, also while Naru is away, unless that is for longer than the site has allowed.
 */
final class NaruGateHealthIndicator implements HealthIndicator {

  private final Gate gate;

  NaruGateHealthIndicator(Gate gate) {
    this.gate = gate;
  }

  @Override
  public Health health() {
    GateStatus status = gate.status();
    var health = status.ready() ? Health.up() : Health.outOfService();
    health
        .withDetail("queue", gate.settings().queue())
        .withDetail("naru", gate.settings().url())
        .withDetail("keys", status.keys());
    add(health, "keysAt", status.keysAt());
    add(health, "revocationsAt", status.revocationsAt());
    add(health, "turnsAt", status.turnsAt());
    add(health, "problem", status.problem());
    return health.build();
  }

  private static void add(Health.Builder health, String name, @Nullable Object value) {
    if (value != null) {
      health.withDetail(name, value);
    }
  }
}
