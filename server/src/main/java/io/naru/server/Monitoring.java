package io.naru.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;

/** What the jar has for Prometheus and Grafana. */
final class Monitoring {

  static final String ALERTS = "alerts.yaml";
  static final String DASHBOARD = "dashboard.json";

  private Monitoring() {}

  static String text(String name) {
    try (InputStream in = Monitoring.class.getResourceAsStream("monitoring/" + name)) {
      return new String(Objects.requireNonNull(in, name).readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
