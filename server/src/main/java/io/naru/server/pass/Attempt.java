package io.naru.server.pass;

import static java.util.concurrent.CompletableFuture.completedFuture;
import static java.util.concurrent.CompletableFuture.failedFuture;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Something that is read by one at a time, and not again too soon. Under the lock of whoever reads.
 */
final class Attempt {

  /** How old an answer may be. */
  static final Duration FRESH = Duration.ofSeconds(1);

  /** So long nothing is read if there is too much of it: passes must be over first. */
  private static final Duration TOO_MUCH = Duration.ofMinutes(1);

  private @Nullable CompletableFuture<Void> underWay;
  private @Nullable Instant at;
  private @Nullable Throwable failure;
  private boolean isTooMuch;
  private boolean hasHeard;

  /** Absolute: a clock that was set back must not stop us for as long as it was set back. */
  static boolean isWithin(Duration span, Instant since, Instant now) {
    return Duration.between(since, now).abs().compareTo(span) < 0;
  }

  /** How the last one goes, or went; null if it is time for another. */
  @Nullable CompletableFuture<Void> last(Instant now) {
    if (underWay != null) {
      return underWay;
    }
    if (at == null || !isWithin(isTooMuch ? TOO_MUCH : FRESH, at, now)) {
      return null;
    }
    return failure == null ? completedFuture(null) : failedFuture(failure);
  }

  CompletableFuture<Void> begin(Instant now) {
    at = now;
    isTooMuch = false;
    hasHeard = false;
    underWay = new CompletableFuture<>();
    return underWay;
  }

  void hears() {
    hasHeard = true;
  }

  void isTooMuch() {
    isTooMuch = true;
  }

  /**
   * @param problem null if all was read
   */
  void end(@Nullable Throwable problem) {
    underWay = null;
    failure = problem;
  }

  /** It is time for another one. */
  void forget() {
    at = null;
  }

  boolean isUnderWay() {
    return underWay != null;
  }

  /** Whether something of what is being read is here already. */
  boolean hasHeard() {
    return hasHeard;
  }
}
