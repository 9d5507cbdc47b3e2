package io.naru.queue;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Who gets a place.
 *
 * @param maxWaiting how many may wait; the next one is told that the line is full
 * @param newPlacesPerMinute how many new places one user may take per minute, 0 for no limit
 */
public record Door(int maxWaiting, int newPlacesPerMinute) {

  private static final Field<Door, Integer> MAX_WAITING =
      Field.whole("maxWaiting", 1, 10_000_000, Door::maxWaiting);
  private static final Field<Door, Integer> NEW_PLACES_PER_MINUTE =
      Field.whole("newPlacesPerMinute", 0, 1_000, Door::newPlacesPerMinute);

  static final List<Field<Door, ?>> FIELDS = List.of(MAX_WAITING, NEW_PLACES_PER_MINUTE);

  public static final Door DEFAULT = new Door(10_000_000, 3);

  public Door {
    MAX_WAITING.check(maxWaiting);
    NEW_PLACES_PER_MINUTE.check(newPlacesPerMinute);
  }

  static Door of(Map<String, ? extends @Nullable Object> values) {
    return new Door(MAX_WAITING.read(values), NEW_PLACES_PER_MINUTE.read(values));
  }
}
