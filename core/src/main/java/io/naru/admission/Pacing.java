package io.naru.admission;

/**
 * How fast people may go in, and how that rate may be spent.
 *
 * @param kind what is earned when, and how much of it can be kept
 * @param milli so many thousandths of a person per interval: a rate that follows something is
 *     seldom a whole number
 * @param intervalSeconds may change only together with what was counted by it: see {@link
 *     Allowance#repaced}
 * @param burst how many a {@link Kind#TOKEN_BUCKET} holds; 0 for one batch
 */
public record Pacing(Kind kind, long milli, int intervalSeconds, int burst) {

  private static final int MILLI = 1_000;
  private static final long SECOND = 1_000_000;

  /** A bucket that fills without steps is looked into when so long a time is worth a look. */
  private static final long PORTION_MICROS = 50_000;

  /** How a rate may be spent. */
  public enum Kind {
    /** One batch at each interval; what is left of it then is gone. */
    STEPS,
    /** Refilled all the time: after a pause, one burst at once, and no more. */
    TOKEN_BUCKET,
    /** Refilled all the time, and never worth more than a tenth of a second: smooth. */
    LEAKY_BUCKET
  }

  /** One batch at each interval. */
  public Pacing(int batch, int intervalSeconds) {
    this(Kind.STEPS, (long) batch * MILLI, intervalSeconds, 0);
  }

  public static Pacing of(Kind kind, int batch, int intervalSeconds, int burst) {
    return new Pacing(kind, (long) batch * MILLI, intervalSeconds, burst);
  }

  /** The same at another rate. */
  public Pacing atRate(double perSecond) {
    long rate = Math.max(1, Math.round(perSecond * intervalSeconds * MILLI));
    return new Pacing(kind, rate, intervalSeconds, burst);
  }

  public double perSecond() {
    return (double) milli / MILLI / intervalSeconds;
  }

  /** How many go in per interval, at most. */
  public int batch() {
    return (int) Math.ceilDiv(milli, MILLI);
  }

  public long intervalMicros() {
    return intervalSeconds * SECOND;
  }

  /** How many may go in at one moment after a long time without anybody. */
  public int atOnce() {
    return switch (kind) {
      case STEPS -> batch();
      case TOKEN_BUCKET -> burst == 0 ? batch() : burst;
      case LEAKY_BUCKET -> (int) Math.ceilDiv(milli, 10L * MILLI * intervalSeconds);
    };
  }

  /**
   * How long somebody at this position waits if the rate holds: {@code ceil(position / batch) ×
   * interval} in steps, else {@code ceil(position / rate)}.
   */
  public long estimatedWaitSeconds(long position) {
    return kind == Kind.STEPS
        ? Math.ceilDiv(position * MILLI, milli) * intervalSeconds
        : Math.ceilDiv(position * MILLI * intervalSeconds, milli);
  }

  /** How long it may take until the next ones go in, in seconds, if there is room. */
  double beatSeconds() {
    return kind == Kind.STEPS ? intervalSeconds : Math.max(1, 1 / perSecond());
  }

  // In units: a microsecond is worth `milli` of them.

  /** What one person costs. */
  long person() {
    return intervalMicros() * MILLI;
  }

  /** The most that can be kept; more than could be counted is for nobody to spend at once. */
  long most() {
    return mostTokens() * person();
  }

  /** The same, in people. */
  long mostTokens() {
    return Math.min(atOnce(), Long.MAX_VALUE / person());
  }

  /** What it is worth to let people in for; one by one would be a step for each. */
  long portion() {
    return kind == Kind.STEPS
        ? person()
        : Math.min(most(), Math.max(person(), milli * PORTION_MICROS));
  }

  /** Time is worth something only by whole ones of these. */
  long grainMicros() {
    return kind == Kind.STEPS ? intervalMicros() : 1;
  }

  /** How long it takes to earn this. */
  long microsFor(long units) {
    return Math.ceilDiv(Math.ceilDiv(units, milli), grainMicros()) * grainMicros();
  }
}
