package io.naru.journal;

import java.util.ArrayList;
import java.util.List;

/**
 * All events of one change of a queue that systems behind are told of, kept in the step that
 * decided them until every reader has them.
 *
 * @param change its number
 * @param at when it was decided, in microseconds
 * @param text a line for each event, in the order decided
 */
public record Happened(long change, long at, String text) {

  public List<Event> events() {
    List<Event> events = new ArrayList<>();
    text.lines().forEach(line -> events.add(Event.of(events.size(), line)));
    return events;
  }

  /** How many events. */
  public long count() {
    return text.chars().filter(c -> c == '\n').count() + 1;
  }
}
