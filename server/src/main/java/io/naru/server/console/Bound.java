package io.naru.server.console;

import io.naru.queue.Drawing;
import io.naru.queue.Overview;
import io.naru.queue.Settings;
import java.util.Locale;

/** What keeps the next one from going in right now. */
enum Bound {
  /** What decides does not work. */
  STORE,
  /** The operator lets nobody in. */
  PAUSED,
  /** It has not begun. */
  SCHEDULE,
  /** Those who came before the opening are being drawn. */
  DRAW,
  /** There is nobody who waits. */
  NOBODY,
  /** As many are inside as there is something for. */
  STOCK,
  /** As many are inside as may be. */
  CAPACITY,
  /** As many went in as may, for now. */
  RATE;

  /**
   * @param isAway whether what decides does not work
   * @param now in microseconds
   */
  static Bound of(Overview overview, boolean isAway, long now) {
    Settings settings = overview.queue().settings();
    if (isAway) {
      return STORE;
    }
    if (overview.queue().state().admissionPaused()) {
      return PAUSED;
    }
    if (settings.times().admissionFrom() > now) {
      return SCHEDULE;
    }
    if (overview.queue().drawing().phase() == Drawing.Phase.CLOSED) {
      return DRAW;
    }
    if (overview.figures().waiting() == 0) {
      return NOBODY;
    }
    long inside = overview.figures().inside();
    if (inside >= settings.pace().maxCapacity()) {
      return CAPACITY;
    }
    boolean isOut = settings.supply().isOut(overview.queue().units(), now);
    return isOut || inside >= settings.mostInside(overview.queue().units()) ? STOCK : RATE;
  }

  String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
