package io.naru.gate.spring;

import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.naru.gate.GateListener;
import io.naru.pass.Verification;
import io.naru.pass.Verification.Refused;
import java.time.Duration;
import java.util.Locale;

/** {@code naru.gate.check}: how many were let in or refused, why, and how long that took. */
final class GateMetrics implements GateListener {

  static final String NAME = "naru.gate.check";

  private final MeterProvider<Timer> checks;

  GateMetrics(MeterRegistry registry) {
    this.checks =
        Timer.builder(NAME)
            .description("What the gate judged: protected requests, and calls of Gate.check")
            .withRegistry(registry);
  }

  @Override
  public void judged(Verification verification, Duration took) {
    checks.withTags(tags(verification)).record(took);
  }

  private static Tags tags(Verification verification) {
    return verification instanceof Refused refused
        ? Tags.of("outcome", "refused", "reason", refused.reason().name().toLowerCase(Locale.ROOT))
        : Tags.of("outcome", "accepted", "reason", "none");
  }
}
