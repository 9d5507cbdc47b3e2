package io.naru.testkit;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for what another process does in its own time. */
public final class Poll {

  private static final Duration STEP = Duration.ofMillis(5);

  private Poll() {}

  public static void until(
      Duration patience, Supplier<String> complaint, BooleanSupplier condition) {
    var deadline = System.nanoTime() + patience.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException(complaint.get());
      }
      try {
        Thread.sleep(STEP);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted: " + complaint.get(), e);
      }
    }
  }
}
