package io.naru.rate;

import io.naru.queue.Adaptive;
import io.naru.queue.Signal;

/**
 * A rate that follows something, as it stands: kept with its queue, so that it is one for all
 * servers. It changes only by a step, so what was in force until then is known exactly.
 *
 * @param perSecond the rate in force
 * @param since when it began to follow, in microseconds; no news from before is missed
 * @param tickedAt when it was last looked at
 * @param notedAt when it was last kept for the record
 */
public record RateState(
    double perSecond,
    Reason reason,
    long since,
    long tickedAt,
    long notedAt,
    Signals signals,
    Flow flow) {

  /** As long as nothing is said a rate falls once, so more ticks at once are the same. */
  private static final int MOST_TICKS = 400;

  private static final long MILLI = 1_000;

  /** The first one, as its rule says. */
  public static RateState first(Adaptive rule, Site site) {
    Flow flow = new Steady(rule, Flow.START, site, 0).flow();
    return new RateState(
        rule.startPerSecond(), Reason.STARTED, site.now(), site.now(), 0, Signals.NONE, flow);
  }

  /**
   * What it is when its rule changes. Another mode goes on from the rate in force. Where that is
   * below what a rule begins with, the site was found to bear no more, and so as many may be inside
   * as are.
   *
   * @param rule the one until now
   */
  public RateState under(Adaptive changed, Adaptive rule, Site site) {
    if (changed.mode() == rule.mode()) {
      return this;
    }
    RateState due = at(rule, site);
    boolean isLimited =
        changed.mode() == Adaptive.Mode.STEADY && due.perSecond < changed.startPerSecond();
    double limit = isLimited ? Math.max(1, (double) site.inside()) : 0;
    return due.with(due.perSecond, due.reason, due.flow.begun(limit));
  }

  /** How many may be inside; 0 if that is not limited. */
  public double insideLimit() {
    return flow.limit();
  }

  /** What keeps it from being faster: floor, ceiling, safe, hold, start or signal. */
  public String limitedBy(Adaptive rule) {
    if (reason == Reason.LOST) {
      return "safe";
    }
    if (perSecond >= rule.ceilingPerSecond()) {
      return "ceiling";
    }
    if (perSecond <= rule.floorPerSecond()) {
      return "floor";
    }
    return switch (reason) {
      case STARTED -> "start";
      case SILENT, HELD -> "hold";
      default -> "signal";
    };
  }

  /** What was said meanwhile counts from now on; what was due before goes first. */
  public RateState heard(Signal signal, Adaptive rule, Site site) {
    RateState due = at(rule, site);
    return new RateState(
        due.perSecond,
        due.reason,
        due.since,
        due.tickedAt,
        due.notedAt,
        due.signals.and(signal, site.now()),
        due.flow);
  }

  public RateState noted(long now) {
    return new RateState(perSecond, reason, since, tickedAt, now, signals, flow);
  }

  /** The rate as it is to be at this moment; the same as long as no tick is due. */
  public RateState at(Adaptive rule, Site site) {
    long now = site.now();
    if (now < tickedAt) {
      // The clock went back: what was ahead of it is now.
      return new RateState(
          rule.clamp(perSecond),
          reason,
          Math.min(since, now),
          now,
          Math.min(notedAt, now),
          signals.at(now),
          flow.notAfter(now));
    }
    long every = rule.everyMillis() * MILLI;
    long ticks = (now - tickedAt) / every;
    if (ticks == 0) {
      return this;
    }
    RateState next =
        rule.mode() == Adaptive.Mode.AIMD ? aimd(rule, site, ticks, every) : steady(rule, site);
    return new RateState(
        next.perSecond,
        next.reason,
        since,
        rule.mode() == Adaptive.Mode.AIMD ? tickedAt + ticks * every : now,
        notedAt,
        signals.at(now),
        next.flow);
  }

  private RateState with(double rate, Reason why, Flow next) {
    return new RateState(rate, why, since, tickedAt, notedAt, signals, next);
  }

  /** Tick by tick, each by what was news then. */
  private RateState aimd(Adaptive rule, Site site, long ticks, long every) {
    double rate = perSecond;
    Reason why = reason;
    for (int i = 1; i <= Math.min(ticks, MOST_TICKS); i++) {
      long then = tickedAt + i * every;
      Signals.Seen seen = signals.seen(then);
      why = news(then, seen);
      if (why == Reason.RAISED) {
        boolean isWell = Aimd.isWell(rule, seen);
        rate = Aimd.tick(rate, rule, seen);
        why = !isWell ? Reason.CUT : seen.isWhole() ? Reason.RAISED : Reason.SILENT;
      } else {
        rate = without(rule, rate, why);
      }
    }
    return with(rate, why, new Steady(rule, flow, site, ticks * every / 1e6).flow());
  }

  private RateState steady(Adaptive rule, Site site) {
    var steady = new Steady(rule, flow, site, (site.now() - tickedAt) / 1e6);
    Signals.Seen seen = signals.seen(site.now());
    Reason why = news(site.now(), seen);
    if (why == Reason.RAISED) {
      why = steady.hear(seen);
      double rate = steady.perSecond();
      return with(why == Reason.SILENT ? Math.min(perSecond, rate) : rate, why, steady.flow());
    }
    double rate = steady.perSecond();
    // Nobody said that it may be faster.
    return with(without(rule, Math.min(perSecond, rate), why), why, steady.flow());
  }

  /** Whether there is news ({@link Reason#RAISED}, to be seen), or what to say without. */
  private Reason news(long now, Signals.Seen seen) {
    if (seen.isFresh()) {
      return Reason.RAISED;
    }
    long last = Math.max(since, seen.newest());
    if (now - last > Signals.KNOWN) {
      return Reason.LOST;
    }
    return seen.newest() == 0 && reason == Reason.STARTED ? Reason.STARTED : Reason.SILENT;
  }

  private static double without(Adaptive rule, double rate, Reason why) {
    return rule.clamp(why == Reason.LOST ? Math.min(rate, rule.safePerSecond()) : rate);
  }
}
