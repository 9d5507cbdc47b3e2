package io.naru.queue;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Stock}, and since when it is known.
 *
 * @param at in microseconds
 */
public record Stocked(Stock stock, long at) {

  public Units units() {
    return stock.units(at);
  }

  /** As one text, for stores. */
  public String text() {
    Map<String, @Nullable Object> all = new LinkedHashMap<>(stock.plain());
    all.put("at", at);
    return Json.write(all);
  }

  /** The inverse of {@link #text()}. */
  public static Stocked ofText(String text) {
    Map<String, @Nullable Object> all = Json.readObject(text);
    long at = all.get("at") instanceof Number number ? number.longValue() : 0;
    return new Stocked(Stock.of(all.get("version"), all.get("pools")), at);
  }
}
