package io.naru.server.board;

import io.naru.queue.LineState;
import io.naru.queue.Supply;
import java.util.Locale;

/** What there is, in one word for people. */
public enum StockWord {
  /** Something is left for whoever goes in. */
  ON,
  /** Nothing is left for them, but not everybody who has something has paid for it. */
  PAYING,
  SOLD_OUT,
  /** Nobody knows: the site has said nothing, or too long ago. */
  STALE;

  public static StockWord of(LineState line, long now) {
    Supply supply = line.settings().supply();
    if (supply.seemsDoubted(line.units(), now)) {
      return STALE;
    }
    if (!supply.isGone(line.units())) {
      return ON;
    }
    return line.units().held() > 0 ? PAYING : SOLD_OUT;
  }

  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
