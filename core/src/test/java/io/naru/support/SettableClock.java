package io.naru.support;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A clock that stands still until a test moves it. */
public final class SettableClock implements InstantSource {

  private volatile Instant now;

  public SettableClock(Instant start) {
    this.now = start;
  }

  public static SettableClock atOpening() {
    return new SettableClock(Instant.parse("2026-11-15T12:00:00.123456Z"));
  }

  @Override
  public Instant instant() {
    return now;
  }

  public synchronized void advance(Duration by) {
    now = now.plus(by);
  }

  public synchronized void set(Instant instant) {
    now = instant;
  }
}
