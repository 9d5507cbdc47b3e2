package io.naru.admission;

/**
 * What was seen of one line lately: sums over the time that it was watched, in which what is long
 * ago counts less and less. A value; each look makes the next one.
 *
 * @param insideSeconds how long people were inside, added up
 * @param departures how many of them went away, whatever the reason
 * @param waitingSeconds how long people waited, added up
 * @param leavers how many of them gave up
 * @param freeSeconds how long people waited although there was room inside
 * @param freeAdmitted how many went in meanwhile
 * @param standstill for how long nobody has gone in although somebody waited
 * @param inside how many are inside now; {@link #UNKNOWN} before the first look
 */
public record Observed(
    double insideSeconds,
    double departures,
    double waitingSeconds,
    double leavers,
    double freeSeconds,
    double freeAdmitted,
    double standstill,
    long inside) {

  private static final long UNKNOWN = -1;

  /** After so long, what was seen counts for a third of what is seen now. */
  private static final double MEMORY_SECONDS = 120;

  /** What is set counts for no more than so many departures that were seen. */
  private static final double TRUST = 0.5;

  /**
   * For less than that, or fewer refills, the rate that is set says more than that which was seen.
   */
  private static final double ENOUGH_SECONDS = 30;

  private static final int ENOUGH_REFILLS = 10;

  public static final Observed NOTHING = new Observed(0, 0, 0, 0, 0, 0, 0, UNKNOWN);

  /** What a queue counts, as far as it matters here. */
  public record Count(long waiting, long inside, long joined, long entered) {}

  /** How it is seen first: nothing has happened yet. */
  public static Observed first(Count now) {
    return new Observed(0, 0, 0, 0, 0, 0, 0, now.inside);
  }

  /**
   * After another look.
   *
   * @param before what it was at the look before
   * @param seconds since then
   * @param capacity how many may be inside
   */
  public Observed next(Count before, Count now, double seconds, int capacity) {
    double kept = Math.exp(-seconds / MEMORY_SECONDS);
    long admitted = now.entered - before.entered;
    // Whoever came in and is not there went away, and so did whoever joined and is neither.
    long departed = Math.max(0, admitted - (now.inside - before.inside));
    long left = Math.max(0, now.joined - before.joined - admitted - (now.waiting - before.waiting));
    boolean wasWaiting = before.waiting > 0 && now.waiting > 0;
    boolean isFree = wasWaiting && before.inside < capacity && now.inside < capacity;
    return new Observed(
        kept * insideSeconds + seconds * (before.inside + now.inside) / 2,
        kept * departures + departed,
        kept * waitingSeconds + seconds * (before.waiting + now.waiting) / 2,
        kept * leavers + left,
        kept * freeSeconds + (isFree ? seconds : 0),
        kept * freeAdmitted + (isFree ? admitted : 0),
        wasWaiting && admitted == 0 ? standstill + seconds : 0,
        now.inside);
  }

  /** The same without what was seen, when nobody could go in anyway: that says nothing. */
  public Observed interrupted(Count now) {
    return new Observed(
        insideSeconds,
        departures,
        waitingSeconds,
        leavers,
        freeSeconds,
        freeAdmitted,
        0,
        now.inside);
  }

  boolean isKnown() {
    return inside != UNKNOWN;
  }

  /** How many go in per second as long as there is room: as set, or fewer if that was so. */
  double rate(Estimate.Bounds bounds) {
    double enough = Math.max(ENOUGH_SECONDS, ENOUGH_REFILLS * bounds.pacing().beatSeconds());
    return freeSeconds < enough || freeAdmitted == 0
        ? bounds.rate()
        : Math.min(bounds.rate(), freeAdmitted / freeSeconds);
  }

  /** How long people stay inside; never longer than their turn. */
  double staySeconds(Estimate.Bounds bounds) {
    double turn = bounds.turnSeconds();
    return Math.min(turn, (TRUST * turn + insideSeconds) / (TRUST + departures));
  }

  /** With which share of those who wait give up per second. */
  double leavingPerSecond() {
    return waitingSeconds == 0 ? 0 : leavers / waitingSeconds;
  }

  /** For how long it has not moved, if that is longer than between two batches. */
  double standstillSeconds(Estimate.Bounds bounds) {
    return standstill > 2 * bounds.pacing().beatSeconds() ? standstill : 0;
  }

  /** How far off the stay may be, as a share of it. */
  double doubt(double least, double most) {
    return Math.clamp(1 / Math.sqrt(TRUST + departures), least, most);
  }
}
