package io.naru.queue;

/**
 * The rate that is in force.
 *
 * @param limitedBy what keeps it from being faster: {@code settings}, or what it follows says
 * @param insideLimit how many it lets be inside; 0 if it does not limit that
 * @param site how the site does that it follows
 */
public record RateNow(double perSecond, String limitedBy, long insideLimit, SiteNow site) {

  /** One that follows nothing. */
  public RateNow(double perSecond, String limitedBy) {
    this(perSecond, limitedBy, 0, SiteNow.UNKNOWN);
  }

  /** As it is set. */
  static RateNow of(Settings settings) {
    return new RateNow(settings.pacing().perSecond(), "settings");
  }
}
