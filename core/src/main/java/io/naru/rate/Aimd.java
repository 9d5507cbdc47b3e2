package io.naru.rate;

import io.naru.queue.Adaptive;

/**
 * The rate itself, by factors: up while the site is well, else down, once per tick. Simple, and too
 * quick for most sites: ten ticks of × 1.1 are × 2.6, while somebody's load shows over all their
 * stay.
 */
final class Aimd {

  private Aimd() {}

  /** One tick. */
  static double tick(double perSecond, Adaptive rule, Signals.Seen seen) {
    return rule.clamp(
        isWell(rule, seen)
            ? seen.isWhole() ? perSecond * rule.increase() : perSecond
            : perSecond * rule.decrease());
  }

  static boolean isWell(Adaptive rule, Signals.Seen seen) {
    return seen.p95Millis() < rule.slowMillis() && seen.errorPercent() < rule.errorPercent();
  }
}
