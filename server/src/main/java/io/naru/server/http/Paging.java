package io.naru.server.http;

import io.naru.queue.InvalidValue;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import tools.jackson.core.JsonGenerator;

/** Lists come in pages: one more than asked for says whether there is another. */
public final class Paging {

  private static final int DEFAULT = 100;
  private static final int MAX = 1_000;

  private Paging() {}

  /** How many are asked for. */
  public static int limit(Exchange exchange) {
    String limit = exchange.query("limit");
    if (limit == null) {
      return DEFAULT;
    }
    try {
      int wanted = Integer.parseInt(limit);
      if (wanted >= 1 && wanted <= MAX) {
        return wanted;
      }
    } catch (NumberFormatException e) {
      // Said below, as for a number out of range.
    }
    throw new InvalidValue("limit", "1.." + MAX, "is not a whole number in range");
  }

  /**
   * Writes a page into an open object.
   *
   * @param found up to one more than {@code limit}
   * @param each writes one into an open object
   * @param name by which the next page is asked for
   */
  public static <T> void write(
      JsonGenerator json,
      String field,
      List<T> found,
      int limit,
      Consumer<T> each,
      Function<T, String> name) {
    List<T> page = found.size() > limit ? found.subList(0, limit) : found;
    json.writeArrayPropertyStart(field);
    for (T one : page) {
      json.writeStartObject();
      each.accept(one);
      json.writeEndObject();
    }
    json.writeEndArray();
    if (found.size() > limit) {
      json.writeStringProperty("next", name.apply(page.getLast()));
    }
  }
}
