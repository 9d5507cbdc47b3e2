package io.naru.bench.report;

import java.util.Locale;

/** What a figure is set beside. */
public enum Against {
  BARE("of bare"),
  RAW_REDIS("of raw Redis"),
  PEER("to peer");

  private final String title;

  Against(String title) {
    this.title = title;
  }

  String title() {
    return title;
  }

  String format(double ratio) {
    return this == PEER
        ? String.format(Locale.ROOT, "%.1f ×", ratio)
        : String.format(Locale.ROOT, "%.0f %%", ratio * 100);
  }
}
