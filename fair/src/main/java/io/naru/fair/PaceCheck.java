package io.naru.fair;

import io.naru.admission.Pacing;
import io.naru.queue.Micros;

/**
 * Whether people went in no faster than was promised: over any time T at most {@code burst + rate ×
 * T}, and in steps at most {@code batch × (2 + T / interval)}, since two batches may meet at a
 * seam. That is a bucket that is full at first, and never holds less than the server's own.
 */
final class PaceCheck {

  /** What sums of fractions are off by, at most. */
  private static final double SLACK = 1e-3;

  private double perMicro;
  private double most;
  private double credit = -1;
  private long at;

  /** From here on this is the rate. */
  void pace(Pacing pacing, long now) {
    earn(now);
    perMicro = pacing.perSecond() / Micros.PER_SECOND;
    most = pacing.kind() == Pacing.Kind.STEPS ? 2.0 * pacing.atOnce() : pacing.atOnce();
    credit = credit < 0 ? most : Math.min(credit, most);
  }

  private void earn(long now) {
    if (now > at && credit >= 0) {
      credit = Math.min(most, credit + (now - at) * perMicro);
    }
    // Also if the clock went back: time that comes twice counts twice, as in the server.
    at = now;
  }

  /** Whether one may go in; who does all the same is not held against the next. */
  boolean enter(long now) {
    earn(now);
    if (credit < 1 - SLACK) {
      return false;
    }
    credit -= 1;
    return true;
  }
}
