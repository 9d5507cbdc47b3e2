package io.naru.gateway;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.naru.gate.Answer;
import io.naru.gate.GateListener;
import io.naru.pass.Reason;
import io.naru.pass.Verification;
import io.naru.pass.Verification.Refused;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * What Prometheus is told of a gateway. Meters are made once, so a request only adds to some that
 * are at hand; where nobody asks for them there are none, and they cost nothing.
 */
final class Meters {

  /** Who gave an answer. */
  enum By {
    SITE,
    NARU,
    GATEWAY;

    private final String label = name().toLowerCase(Locale.ROOT);

    String label() {
      return label;
    }
  }

  private static final Duration[] TIMES = {
    Duration.ofMillis(5),
    Duration.ofMillis(10),
    Duration.ofMillis(25),
    Duration.ofMillis(50),
    Duration.ofMillis(100),
    Duration.ofMillis(250),
    Duration.ofMillis(500),
    Duration.ofSeconds(1),
    Duration.ofMillis(2_500),
    Duration.ofSeconds(5),
    Duration.ofSeconds(10),
    Duration.ofSeconds(30)
  };

  private final MeterRegistry registry;
  private final Map<By, List<Counter>> answers = new EnumMap<>(By.class);
  private final Map<Failing, Counter> failures = new EnumMap<>(Failing.class);
  private final Map<Reason, Counter> refusals = new EnumMap<>(Reason.class);
  private final Map<Answer, Counter> completions = new EnumMap<>(Answer.class);
  private final Counter toPage;
  private final Counter toProgram;
  private final Counter notTaken;
  private final Counter heard;
  private final Counter unheard;
  private final Timer site;

  /**
   * @param areAsked whether anybody will ask for them
   */
  Meters(boolean areAsked) {
    registry =
        areAsked
            ? new PrometheusMeterRegistry(PrometheusConfig.DEFAULT)
            : new CompositeMeterRegistry();
    for (By by : By.values()) {
      var kinds = new ArrayList<Counter>();
      for (int kind = 1; kind < 6; kind++) {
        kinds.add(
            Counter.builder("naru.gateway.requests")
                .description("Requests, by who answered them and with what class of status.")
                .tag("by", by.label())
                .tag("answer", kind + "xx")
                .register(registry));
      }
      answers.put(by, kinds);
    }
    for (Failing failing : Failing.values()) {
      failures.put(
          failing,
          counter(
              "naru.gateway.failures",
              "Requests that the site or Naru did not answer.",
              "reason",
              failing.code()));
    }
    for (Reason reason : Reason.values()) {
      refusals.put(
          reason,
          counter(
              "naru.gateway.passes.refused",
              "Passes that were brought and are none, or none any more.",
              "reason",
              word(reason)));
    }
    for (Answer answer : Answer.values()) {
      completions.put(
          answer,
          counter(
              "naru.gateway.completions",
              "Times that Naru was told that a turn is over, by what it said.",
              "answer",
              word(answer)));
    }
    String keptOut = "Requests to protected paths without a pass.";
    toPage = counter("naru.gateway.kept.out", keptOut, "to", "waiting-page");
    toProgram = counter("naru.gateway.kept.out", keptOut, "to", "problem");
    notTaken =
        Counter.builder("naru.gateway.connections.refused")
            .description("Connections of visitors that were one too many.")
            .register(registry);
    String signals = "Times that Naru was told how quickly the site answers.";
    heard = counter("naru.gateway.signals", signals, "answer", "heard");
    unheard = counter("naru.gateway.signals", signals, "answer", "failed");
    site =
        Timer.builder("naru.gateway.site")
            .description("From the end of a request to the head of the site's answer.")
            .serviceLevelObjectives(TIMES)
            .register(registry);
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private Counter counter(String name, String description, String tag, String value) {
    return Counter.builder(name).description(description).tag(tag, value).register(registry);
  }

  /** Watches something that somebody else counts. */
  void gauge(String name, String description, DoubleSupplier value) {
    Gauge.builder(name, value, DoubleSupplier::getAsDouble)
        .description(description)
        .strongReference(true)
        .register(registry);
  }

  void total(String name, String description, LongSupplier value) {
    FunctionCounter.builder(name, value, LongSupplier::getAsLong)
        .description(description)
        .register(registry);
  }

  /** As Prometheus reads it. */
  String text() {
    return registry instanceof PrometheusMeterRegistry prometheus ? prometheus.scrape() : "";
  }

  void answered(By by, int status) {
    Objects.requireNonNull(answers.get(by)).get(Math.clamp(status / 100, 1, 5) - 1).increment();
  }

  void siteTook(long nanos) {
    site.record(nanos, TimeUnit.NANOSECONDS);
  }

  void failed(Failing failing) {
    count(failures, failing);
  }

  void keptOut(boolean isBrowser) {
    (isBrowser ? toPage : toProgram).increment();
  }

  void notTaken() {
    notTaken.increment();
  }

  void completed(Answer answer) {
    count(completions, answer);
  }

  /** What gates find out. */
  GateListener gates() {
    return new GateListener() {
      @Override
      public void judged(Verification verification, Duration took) {
        if (verification instanceof Refused refused) {
          count(refusals, refused.reason());
        }
      }

      @Override
      public void signalled(boolean isHeard) {
        (isHeard ? heard : unheard).increment();
      }
    };
  }

  private static <K> void count(Map<K, Counter> counters, K which) {
    Objects.requireNonNull(counters.get(which)).increment();
  }
}
