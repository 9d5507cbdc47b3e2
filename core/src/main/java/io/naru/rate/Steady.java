package io.naru.rate;

import io.naru.queue.Adaptive;

/**
 * Moves a limit on how many are inside, and lets in what so many make leave, and what is missing.
 * Those inside are what loads a site, and a rate shows in them only after a stay; a limit shows at
 * once.
 *
 * <p>What leaves at this moment is not what is let in. Those who came in together leave together
 * where everybody stays for as long as everybody else, so each swell of admissions would come back
 * after every stay, and with any lag it grows. As many as the limit makes leave on average, and the
 * gap closed over a fifth of a stay: that takes a third off a swell with every stay.
 *
 * <p>Three zones. Below 0.3 of what is slow the limit grows, if it is used: by the factor that is
 * set, once per tenth of a stay (a second at least), by a hundredth where the site was slow last,
 * the wall, and faster again the further behind it. Above it is cut, once per effect: again only
 * when those inside are down to it and nothing got better, or after a stay, twenty seconds at most.
 * Between it holds, and takes a small step back where it gets slower although nothing grew: a site
 * just above what it can do shows so long before it is slow. What gets well before a cut has worked
 * was no matter of load: the cut ends with it.
 */
final class Steady {

  private static final double WELL = 0.3;
  private static final double STEP_BACK = 0.96;
  private static final double NEAR_WALL = 0.95;
  private static final double NEAR_GROWTH = 1.01;

  /** What growth gains where the wall is left behind by its own length. */
  private static final double GAINED = 0.2;

  private static final double USED = 0.9;

  /** Near the wall another hundredth says nothing before those inside are there. */
  private static final double NEAR_USED = 0.97;

  private static final double DOWN = 1.02;
  private static final double TAKEN_BACK = 0.97;

  /** After so long without an effect a cut was not enough, however long people stay. */
  private static final double LONGEST_EFFECT = 20;

  private static final double SHORTEST_EFFECT = 3;

  /** Periods of growth to stay away from the wall after a step back. */
  private static final int REST = 10;

  /** What is missing is let in over this part of a stay. */
  private static final double GAP = 0.2;

  private static final double LEAVING_SECONDS = 2;
  private static final double LEAST_MEMORY = 30;
  private static final double MOST_MEMORY = 600;

  /** What is set counts for so many departures that were seen. */
  private static final double TRUST = 0.5;

  private final Adaptive rule;
  private final long now;
  private final long inside;
  private final double turnSeconds;

  private double limit;
  private double wall;
  private double leaving;
  private double insideSeconds;
  private double departures;
  private long cutAt;
  private long downAt;
  private long easedAt;
  private long grownAt;
  private boolean wasWell;
  private double level;
  private double levelBefore;
  private long levelAt;
  private final long departed;

  Steady(Adaptive rule, Flow flow, Site site, double seconds) {
    this.rule = rule;
    now = site.now();
    inside = site.inside();
    turnSeconds = site.turnSeconds();
    departed = site.departed();
    limit = flow.limit();
    wall = flow.wall();
    cutAt = flow.cutAt();
    downAt = flow.downAt();
    easedAt = flow.easedAt();
    grownAt = flow.grownAt();
    wasWell = flow.wasWell();
    level = flow.level();
    levelBefore = flow.levelBefore();
    levelAt = flow.levelAt();
    watch(flow, seconds);
  }

  private void watch(Flow flow, double seconds) {
    double left = Math.max(0, departed - flow.departed());
    leaving = flow.leaving();
    insideSeconds = flow.insideSeconds();
    departures = flow.departures();
    if (seconds > 0) {
      leaving += (1 - Math.exp(-seconds / LEAVING_SECONDS)) * (left / seconds - leaving);
      double memory = Math.clamp(2 * staySeconds(), LEAST_MEMORY, MOST_MEMORY);
      double kept = Math.exp(-seconds / memory);
      insideSeconds = kept * insideSeconds + inside * seconds;
      departures = kept * departures + left;
    }
  }

  /** How long people stay inside; never longer than their turn. */
  double staySeconds() {
    double stay = (TRUST * turnSeconds + insideSeconds) / (TRUST + departures);
    return Math.max(1, Math.min(turnSeconds, stay));
  }

  Flow flow() {
    return new Flow(
        limit,
        wall,
        departed,
        leaving,
        insideSeconds,
        departures,
        cutAt,
        downAt,
        easedAt,
        grownAt,
        wasWell,
        level,
        levelBefore,
        levelAt);
  }

  /** What so many make leave, and what is missing; as it was begun, before anything is known. */
  double perSecond() {
    if (limit == 0) {
      return rule.startPerSecond();
    }
    double stay = staySeconds();
    return rule.clamp(limit / stay + (limit - inside) / Math.max(1, GAP * stay));
  }

  private double periodSeconds() {
    return Math.max(1, staySeconds() / 10);
  }

  /** Moves the limit by what was said. */
  Reason hear(Signals.Seen seen) {
    if (seen.newest() != levelAt) {
      levelBefore = level;
      levelAt = seen.newest();
      level =
          seen.errorPercent() >= rule.errorPercent()
              ? Math.max(1, seen.p95Millis() / rule.slowMillis())
              : seen.p95Millis() / rule.slowMillis();
    }
    if (limit > 0 && downAt < cutAt && inside <= limit * DOWN) {
      downAt = now;
    }
    if (level >= 1) {
      return slow();
    }
    if (limit == 0) {
      return begin();
    }
    if (level >= WELL) {
      return between();
    }
    wasWell = true;
    return seen.isWhole() ? well() : Reason.SILENT;
  }

  private Reason slow() {
    boolean hasWorked =
        since(cutAt) >= Math.min(staySeconds(), LONGEST_EFFECT)
            || (downAt >= cutAt && since(downAt) >= SHORTEST_EFFECT && level >= levelBefore);
    if (limit > 0 && !hasWorked) {
      return Reason.WAITING;
    }
    double base = used();
    if (wasWell || limit == 0) {
      wall = base;
    }
    wasWell = false;
    limit = Math.max(1, rule.decrease() * base);
    cutAt = now;
    return Reason.CUT;
  }

  /** Begins to limit when the site shows that it is loaded, or as many leave as come. */
  private Reason begin() {
    if (level >= WELL || leaving >= USED * rule.startPerSecond()) {
      limit = used();
    }
    return level >= WELL ? Reason.HELD : Reason.RAISED;
  }

  private Reason between() {
    boolean hasWorked = since(easedAt) >= periodSeconds() && inside <= limit * DOWN;
    if (!hasWorked || since(cutAt) < staySeconds() || level < levelBefore) {
      return Reason.HELD;
    }
    wall = used();
    limit = Math.max(1, STEP_BACK * wall);
    easedAt = now;
    return Reason.EASED;
  }

  private Reason well() {
    if (limit < inside && since(cutAt) <= 3 * staySeconds() && inside < wall * TAKEN_BACK) {
      limit = (double) inside;
    }
    // One more may not fit between them and the limit.
    if (inside + 1 < (isNearWall() ? NEAR_USED : USED) * limit) {
      return Reason.UNUSED;
    }
    boolean isResting = easedAt > cutAt && since(easedAt) < REST * periodSeconds();
    if (!isResting && since(grownAt) >= periodSeconds()) {
      grow();
      grownAt = now;
    }
    return Reason.RAISED;
  }

  private void grow() {
    if (isNearWall()) {
      double behind = Math.max(0, limit / wall - 1);
      limit *= Math.min(rule.increase(), NEAR_GROWTH + GAINED * behind);
    } else {
      limit *= rule.increase();
      limit = wall > 0 ? Math.min(limit, NEAR_WALL * wall) : limit;
    }
  }

  private boolean isNearWall() {
    return wall > 0 && limit >= NEAR_WALL * wall * 0.999;
  }

  private double used() {
    return Math.max(1, limit == 0 ? (double) inside : Math.min(limit, (double) inside));
  }

  private double since(long then) {
    return (now - then) / 1e6;
  }
}
