package io.naru.queue;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Who gets a place, and keeps it.
 *
 * @param maxWaiting how many may wait; the next one is told that the line is full
 * @param newPlacesPerMinute how many new places one user may take per minute, 0 for no limit
 * @param absenceGraceSeconds for so long the place of somebody is kept who was not there when their
 *     turn came, and was passed over; 0: it does not matter whether anybody is there
 * @param doors what newcomers must show; empty if nothing
 */
public record Door(
    int maxWaiting, int newPlacesPerMinute, int absenceGraceSeconds, Optional<Doors> doors) {

  private static final Field<Door, Integer> MAX_WAITING =
      Field.whole("maxWaiting", 1, 10_000_000, Door::maxWaiting);
  private static final Field<Door, Integer> NEW_PLACES_PER_MINUTE =
      Field.whole("newPlacesPerMinute", 0, 1_000, Door::newPlacesPerMinute);
  private static final Field<Door, Integer> ABSENCE_GRACE_SECONDS =
      Field.whole("absenceGraceSeconds", 0, 86_400, Door::absenceGraceSeconds).withLedger();
  private static final Field<Door, Optional<Doors>> DOORS =
      Field.doors("doors", Door::doors).withLedger();

  static final List<Field<Door, ?>> FIELDS =
      List.of(MAX_WAITING, NEW_PLACES_PER_MINUTE, ABSENCE_GRACE_SECONDS, DOORS);

  public static final Door DEFAULT = new Door(10_000_000, 3, 0, Optional.empty());

  public Door {
    MAX_WAITING.check(maxWaiting);
    NEW_PLACES_PER_MINUTE.check(newPlacesPerMinute);
    ABSENCE_GRACE_SECONDS.check(absenceGraceSeconds);
  }

  static Door of(Map<String, ? extends @Nullable Object> values) {
    return new Door(
        MAX_WAITING.read(values),
        NEW_PLACES_PER_MINUTE.read(values),
        ABSENCE_GRACE_SECONDS.read(values),
        DOORS.read(values));
  }

  /** Whether some are passed over when their turn comes. */
  public boolean passesOver() {
    return looks() || asks();
  }

  /** Whether those are who are not there. */
  public boolean looks() {
    return absenceGraceSeconds > 0;
  }

  /** Whether those are who owe something. */
  public boolean asks() {
    return doors.isPresent() && doors.get().ask();
  }

  public long absenceGraceMicros() {
    return absenceGraceSeconds * Micros.PER_SECOND;
  }
}
