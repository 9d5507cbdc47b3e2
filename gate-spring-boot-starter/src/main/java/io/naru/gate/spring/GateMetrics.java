package io.naru.gate.spring;

import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
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

  /** Nearly always this one: looking it up costs more than verifying a pass again. */
  private final Timer accepted;

  GateMetrics(MeterRegistry registry) {
    this.checks =
        Timer.builder(NAME)
            .description("What the gate judged: protected requests, and calls of Gate.check")
            .withRegistry(registry);
    this.accepted = checks.withTags("outcome", "accepted", "reason", "none");
  }

  @Override
  public void judged(Verification verification, Duration took) {
    timerOf(verification).record(took);
  }

  private Timer timerOf(Verification verification) {
    if (verification instanceof Refused refused) {
      String reason = refused.reason().name().toLowerCase(Locale.ROOT);
      return checks.withTags("outcome", "refused", "reason", reason);
    }
    return accepted;
  }
}
