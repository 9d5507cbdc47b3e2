package io.naru.queue;

import java.util.List;

/**
 * Whom a server has seen near the front of a line since it said so last.
 *
 * @param server its name, of this run of it
 * @param people by their entries
 */
public record Sightings(String server, List<Sight> people, Goes goes) {

  /** More are told in parts. */
  public static final int MAX_PEOPLE = 5_000;

  private static final int MAX_NAME = 64;

  /**
   * Somebody who has a stream, or asked.
   *
   * @param joined when their entry joined, which names it
   * @param score by which it stands in line, as far as the server knows
   */
  public record Sight(long joined, long score) {}

  /** Whether it goes on to look. */
  public enum Goes {
    ON,
    /** It has seen nobody for a while, and so knows of nobody who could be taken for absent. */
    HOME,
    /** It stops: whoever it saw has to find another one first. */
    DOWN
  }

  public Sightings {
    people = List.copyOf(people);
    if (people.size() > MAX_PEOPLE || server.isEmpty() || server.length() > MAX_NAME) {
      throw new IllegalArgumentException(people.size() + " people seen by '" + server + "'");
    }
  }
}
