package io.naru.server.entry;

import java.util.Locale;

/** Who or what keeps people from being let in. */
public enum PausedBy {
  OPERATOR,
  /** What decides cannot be reached, or is in trouble with this queue. */
  STORE,
  /** It is too early. */
  SCHEDULE,
  /** Those who came before the opening are being drawn. */
  DRAW,
  /** There is nothing left for whoever would go in, or nobody knows. */
  STOCK;

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
