package io.naru.load.plan;

/**
 * What to set for an expected crowd.
 *
 * <p>The plain sum is Little's law: who is inside is the rate times the stay. It leaves out that a
 * stay begins when somebody is *told*, and that a place is free only when their completion has
 * arrived and the next step comes: that is another second, in which their place is nobody's. So a
 * capacity of rate times stay lets fewer in than the rate, generation after generation; with one
 * second's people more, the rate holds.
 *
 * @param maxCapacity as the queue's setting of that name; the next two likewise
 * @param lastWaitSeconds how long the last one waits, if all come at once
 * @param isInTime whether that is within what was asked for; true if nothing was
 * @param capacityNeeded what it would take to be in time
 */
public record Plan(
    int maxCapacity,
    int entryBatchSize,
    int entryIntervalSeconds,
    double lastWaitSeconds,
    boolean isInTime,
    int capacityNeeded) {

  /** How long a place is nobody's: telling, completing, and the wait for the next step. */
  public static final double TURNOVER_SECONDS = 1;

  private static final int LARGEST_BATCH = 100_000;
  private static final int LONGEST_INTERVAL = 3_600;
  private static final int LARGEST_CAPACITY = 10_000_000;

  /** From so many a second on, a fraction does not matter. */
  private static final int WHOLE = 20;

  public static Plan of(Expected expected) {
    double wanted = wanted(expected);
    double most = mayTake(expected);
    Pace pace = Pace.of(Math.min(wanted, most), false);
    if (pace.perSecond() > most) {
      pace = Pace.of(most, true);
    }
    double perSecond = pace.perSecond();
    int capacity =
        expected.capacity() != 0
            ? expected.capacity()
            : capacity(perSecond, expected.staySeconds());
    double last = lastWait(expected.people(), pace);
    int within = expected.withinSeconds();
    int needed =
        within == 0
            ? capacity
            : capacity(Pace.of(needed(expected), false).perSecond(), expected.staySeconds());
    return new Plan(
        capacity, pace.batch, pace.interval, last, within == 0 || last <= within, needed);
  }

  /** What is asked for, if anything is; else as many as may be. */
  private static double wanted(Expected expected) {
    return expected.withinSeconds() == 0 ? LARGEST_BATCH : needed(expected);
  }

  private static double needed(Expected expected) {
    double time = Math.max(1, expected.withinSeconds() - Expected.TELLING_SECONDS);
    return Math.min(LARGEST_BATCH, expected.people() / time);
  }

  /** What the site can take, as far as it was said. */
  private static double mayTake(Expected expected) {
    double byCapacity =
        expected.capacity() == 0
            ? LARGEST_BATCH
            : expected.capacity() / (expected.staySeconds() + TURNOVER_SECONDS);
    double byRate = expected.perSecond() == 0 ? LARGEST_BATCH : expected.perSecond();
    return Math.min(byCapacity, byRate);
  }

  private static int capacity(double perSecond, double staySeconds) {
    return (int)
        Math.clamp(
            Math.ceil(perSecond * (staySeconds + TURNOVER_SECONDS) - 1e-9), 1, LARGEST_CAPACITY);
  }

  /** All at once: the first step goes at once, the last of them then takes the telling. */
  private static double lastWait(int people, Pace pace) {
    long steps = Math.ceilDiv(people, pace.batch);
    return (steps - 1) * (double) pace.interval + Expected.TELLING_SECONDS;
  }

  public double perSecond() {
    return (double) entryBatchSize / entryIntervalSeconds;
  }

  /** A rate as the settings can say it. */
  private record Pace(int batch, int interval) {

    /**
     * @param isAtMost whether it must not be more; else it must not be less
     */
    static Pace of(double perSecond, boolean isAtMost) {
      for (int interval = 1; interval <= LONGEST_INTERVAL; interval++) {
        double exact = perSecond * interval;
        double whole = isAtMost ? Math.floor(exact + 1e-9) : Math.ceil(exact - 1e-9);
        // In the first interval in which hardly anything is lost.
        if (whole >= 1 && (whole >= WHOLE || Math.abs(whole - exact) <= 0.05 * exact)) {
          return new Pace((int) Math.min(whole, LARGEST_BATCH), interval);
        }
      }
      return new Pace(1, LONGEST_INTERVAL);
    }

    double perSecond() {
      return (double) batch / interval;
    }
  }
}
