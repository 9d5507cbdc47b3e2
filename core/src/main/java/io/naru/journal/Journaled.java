package io.naru.journal;

import java.util.List;

/**
 * All events of one change of a queue, kept in the step that decided them until they are in the
 * log.
 *
 * @param change its number
 * @param at when it was decided, in microseconds
 * @param events a line each, in the order decided: a JSON array whose first value is the kind
 */
public record Journaled(long change, long at, String events) {

  /** How many events. */
  public long count() {
    return events.chars().filter(c -> c == '\n').count() + 1;
  }

  public List<String> lines() {
    return events.lines().toList();
  }
}
