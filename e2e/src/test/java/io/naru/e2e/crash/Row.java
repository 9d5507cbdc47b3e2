package io.naru.e2e.crash;

import io.naru.line.Score;
import java.time.Duration;

/**
 * An entry as the ledger has it. Times are microseconds since 2026 on the database's clock, 0 for
 * never.
 */
record Row(
    String user, long joined, long score, String status, long entered, long expires, long ended) {

  /** 25 years of 365.25 days: so far apart are lanes. */
  private static final long BAND_MICROS = Duration.ofHours(25 * 8_766L).toNanos() / 1_000;

  long lane() {
    return Math.floorDiv(score, BAND_MICROS);
  }

  /** Whether it is there because its visitor came back. */
  boolean isOfAReturn() {
    return lane() == Score.FALLBACK;
  }

  boolean isWaiting() {
    return status.equals("WAITING");
  }

  boolean isInside() {
    return status.equals("ENTERED");
  }

  boolean isLive() {
    return isWaiting() || isInside();
  }

  boolean wasAdmitted() {
    return entered != 0;
  }

  /** When it stopped waiting: went in, or left the line; never, if it still waits. */
  long stoppedWaiting() {
    if (wasAdmitted()) {
      return entered;
    }
    return isWaiting() ? Long.MAX_VALUE : ended;
  }

  @Override
  public String toString() {
    return "%s with score %d, %s, entered %d, ended %d"
        .formatted(user, score, status, entered, ended);
  }
}
