package io.naru.server;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;

/** The time as it goes by, and as far ahead as a test has moved it. */
final class MovableClock implements InstantSource {

  private final AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);

  void advance(Duration by) {
    ahead.updateAndGet(by::plus);
  }

  @Override
  public Instant instant() {
    return Instant.now().plus(ahead.get());
  }
}
