package io.naru.transfer;

import io.naru.history.Counts;
import io.naru.queue.Drawing;
import io.naru.queue.InvalidValue;
import io.naru.queue.Json;
import io.naru.queue.Settings;
import io.naru.queue.State;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A queue without its people, as it is moved to another ledger.
 *
 * @param lanes who waits in which one and whose turn it is, as one text; empty for one line
 * @param tickets how many were given out in one line
 * @param waiting how many of its people wait
 * @param inside how many of them are inside
 * @param totals all that was counted
 * @param draw how far its draw is. What decides it is secret, and is made anew
 * @param draws how many it has had
 */
public record MovedQueue(
    Settings settings,
    State state,
    long activatedAt,
    long deactivatedAt,
    long lastJoined,
    long lastEnteredAt,
    String lanes,
    long tickets,
    long waiting,
    long inside,
    Counts totals,
    Drawing.Phase draw,
    int draws) {

  public Map<String, Object> asMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("settings", Json.readObject(settings.text()));
    map.put("entryOpen", state.entryOpen());
    map.put("admissionPaused", state.admissionPaused());
    map.put("pausedReason", state.reason());
    map.put("endedAt", state.endedAt());
    map.put("activatedAt", activatedAt);
    map.put("deactivatedAt", deactivatedAt);
    map.put("lastJoined", lastJoined);
    map.put("lastEnteredAt", lastEnteredAt);
    map.put("lanes", lanes.isEmpty() ? Map.of() : Json.readObject(lanes));
    map.put("tickets", tickets);
    map.put("waiting", waiting);
    map.put("inside", inside);
    map.put("joined", totals.joined());
    map.put("entered", totals.admitted());
    map.put("completed", totals.completed());
    map.put("left", totals.left());
    map.put("expired", totals.expired());
    map.put("draw", draw.name());
    map.put("draws", draws);
    return map;
  }

  /**
   * The inverse of {@link #asMap}.
   *
   * @throws InvalidValue if there cannot be such a queue
   */
  public static MovedQueue of(Map<String, ? extends @Nullable Object> map) {
    var given = new Given(map);
    Map<String, @Nullable Object> lanes = given.object("lanes");
    return new MovedQueue(
        settings(given.object("settings")),
        new State(
            given.flag("entryOpen"),
            given.flag("admissionPaused"),
            given.text("pausedReason", 200),
            given.number("endedAt")),
        given.number("activatedAt"),
        given.number("deactivatedAt"),
        given.number("lastJoined"),
        given.number("lastEnteredAt"),
        lanes.isEmpty() ? "" : Json.write(lanes),
        given.number("tickets"),
        given.number("waiting"),
        given.number("inside"),
        new Counts(
            given.number("joined"),
            given.number("entered"),
            given.number("completed"),
            given.number("left"),
            given.number("expired")),
        given.one("draw", Drawing.Phase.class),
        (int) given.number("draws", 0, Integer.MAX_VALUE));
  }

  /** What this version does not know could not be kept to. */
  private static Settings settings(Map<String, @Nullable Object> given) {
    Settings settings;
    try {
      settings = Settings.ofText(Json.write(given));
    } catch (InvalidValue e) {
      throw e;
    } catch (RuntimeException e) {
      throw new InvalidValue("settings", "those of a queue", "cannot be read");
    }
    settings
        .others()
        .keySet()
        .forEach(
            name -> {
              throw new InvalidValue(name, "what this version knows", "is not a setting here");
            });
    return settings;
  }
}
