package io.naru.admission;

/** The rate of a queue: {@code batch} people every {@code intervalSeconds}. */
public record Pacing(int batch, int intervalSeconds) {

  public long intervalMicros() {
    return intervalSeconds * 1_000_000L;
  }

  /**
   * How long somebody at this position waits if the rate holds: {@code ceil(position / batch) ×
   * interval}.
   */
  public long estimatedWaitSeconds(long position) {
    return Math.ceilDiv(position, (long) batch) * intervalSeconds;
  }
}
