package io.naru.server.entry;

import io.naru.queue.InvalidValue;
import io.naru.server.http.Exchange;

/**
 * {@code ?change=}: the last state that a visitor has seen, perhaps at another server. They are
 * shown nothing older.
 */
public final class SeenChange {

  private static final String NAME = "change";
  private static final String ALLOWED = "[0-9]{1,15}";

  private SeenChange() {}

  /** What they say; 0 if nothing. */
  public static long of(Exchange exchange) {
    if (exchange.request().query() == null) {
      return 0;
    }
    String change = exchange.query(NAME);
    if (change == null) {
      return 0;
    }
    if (!change.matches(ALLOWED)) {
      throw new InvalidValue(NAME, ALLOWED, "is not the change of an answer");
    }
    return Long.parseLong(change);
  }
}
