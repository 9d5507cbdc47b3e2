package io.naru.admission;

/**
 * A rate that follows something, evened out. Such a rate makes up from moment to moment for what is
 * missing or too much inside; how long somebody waits depends on where it stays. A value; each look
 * makes the next one.
 *
 * @param perSecond 0 before the first look
 */
public record Evened(double perSecond) {

  public static final Evened NOTHING = new Evened(0);

  /** After so long, what it was counts for a third of what it is now. */
  private static final double MEMORY_SECONDS = 30;

  /**
   * After another look.
   *
   * @param now the rate of this moment
   * @param seconds since the look before; means nothing at the first one
   */
  public Evened next(double now, double seconds) {
    return perSecond == 0
        ? new Evened(now)
        : new Evened(now + (perSecond - now) * Math.exp(-seconds / MEMORY_SECONDS));
  }
}
