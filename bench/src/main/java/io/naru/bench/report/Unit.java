package io.naru.bench.report;

import java.util.Locale;

/** What a figure counts. */
public enum Unit {
  PER_SECOND("/s", 0),
  BYTES("bytes", 0),
  MILLIS("ms", 0),
  MICROS("µs", 0),
  CORE_PERCENT("% of a core", 1),
  PERCENT("%", 1),
  COUNT("at once", 0),
  LINES("lines", 0);

  private final String symbol;
  private final int digits;

  Unit(String symbol, int digits) {
    this.symbol = symbol;
    this.digits = digits;
  }

  public String symbol() {
    return symbol;
  }

  String format(double value) {
    return String.format(Locale.ROOT, "%,." + digits + "f %s", value, symbol);
  }
}
