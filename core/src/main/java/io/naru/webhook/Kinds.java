package io.naru.webhook;

import io.naru.queue.InvalidValue;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/** What a webhook may be told of, in words. */
public final class Kinds {

  /** The line of a queue is as long as an operator wants to know. */
  public static final String TOO_LONG = "too-long";

  /** The ledger of a queue lost commits; nothing is decided there until somebody has looked. */
  public static final String FROZEN = "frozen";

  /** Nothing happened: somebody wants to see whether it arrives. */
  public static final String PING = "ping";

  /** Of whole queues: a few a day. */
  public static final List<String> BY_DEFAULT =
      List.of(
          "opened",
          "closed",
          "paused",
          "resumed",
          "ended",
          "sold-out",
          "restocked",
          FROZEN,
          TOO_LONG);

  /** Of each who is in one. */
  private static final List<String> OF_ENTRIES =
      List.of(
          "joined", "entered", "completed", "left", "expired", "returned", "removed", "moved");

  public static final String ALLOWED =
      "a list of " + String.join(", ", BY_DEFAULT) + ", " + String.join(", ", OF_ENTRIES);

  private Kinds() {}

  /**
   * The same, each once and in order; at least one.
   *
   * @throws InvalidValue if one is no kind
   */
  public static List<String> check(Collection<String> kinds) {
    if (kinds.isEmpty()) {
      throw new InvalidValue("events", ALLOWED, "names none; leave it out for the usual ones");
    }
    for (String kind : kinds) {
      if (!BY_DEFAULT.contains(kind) && !OF_ENTRIES.contains(kind)) {
        throw new InvalidValue("events", ALLOWED, "has an entry that is none of them");
      }
    }
    return List.copyOf(new TreeSet<>(kinds));
  }
}
