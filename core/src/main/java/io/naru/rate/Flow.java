package io.naru.rate;

/**
 * What {@link Steady} remembers; how people leave is noted under every rule. Times are
 * microseconds, 0 for never.
 *
 * @param limit how many may be inside; 0 as long as it is not known
 * @param wall at how many the site was slow last; 0 if that is not known
 * @param departed how many had gone in and were gone at the last look
 * @param leaving how many go away per second, lately
 * @param insideSeconds how long people were inside, added up, of late
 * @param departures how many of those went away
 * @param cutAt when the limit was last cut
 * @param downAt when those inside were down to it
 * @param easedAt when it last took a step back
 * @param grownAt when it last grew
 * @param wasWell whether the site was well since the last cut
 * @param level how far from slow it was by the newest signal, 1 for slow
 * @param levelBefore and by the one before
 * @param levelAt when that newest one ended
 */
record Flow(
    double limit,
    double wall,
    long departed,
    double leaving,
    double insideSeconds,
    double departures,
    long cutAt,
    long downAt,
    long easedAt,
    long grownAt,
    boolean wasWell,
    double level,
    double levelBefore,
    long levelAt) {

  static final Flow START = new Flow(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, true, 0, 0, 0);

  /** As it was begun, with this limit: only how people leave is known as before. */
  Flow begun(double most) {
    return new Flow(
        most, 0, departed, leaving, insideSeconds, departures, 0, 0, 0, 0, true, 0, 0, 0);
  }

  /** After the clock went back: nothing was done later than now. */
  Flow notAfter(long now) {
    return new Flow(
        limit,
        wall,
        departed,
        leaving,
        insideSeconds,
        departures,
        Math.min(cutAt, now),
        Math.min(downAt, now),
        Math.min(easedAt, now),
        Math.min(grownAt, now),
        wasWell,
        level,
        levelBefore,
        Math.min(levelAt, now));
  }
}
