package io.naru.bench.report;

import java.util.Locale;

/** What a figure counts. */
public enum Unit {
  PER_SECOND("/s"),
  BYTES("bytes"),
  MILLIS("ms");

  private final String symbol;

  Unit(String symbol) {
    this.symbol = symbol;
  }

  public String symbol() {
    return symbol;
  }

  String format(double value) {
    return String.format(Locale.ROOT, "%,.0f %s", value, symbol);
  }
}
