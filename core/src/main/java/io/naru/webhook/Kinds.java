package io.naru.webhook;

import io.naru.queue.EventKind;
import io.naru.queue.InvalidValue;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
      Stream.concat(
              Stream.of(
                      EventKind.OPENED,
                      EventKind.CLOSED,
                      EventKind.PAUSED,
                      EventKind.RESUMED,
                      EventKind.ENDED,
                      EventKind.SOLD_OUT,
                      EventKind.RESTOCKED)
                  .map(EventKind::word),
              Stream.of(FROZEN, TOO_LONG))
          .toList();

  private static final Set<String> ALL =
      Stream.concat(Stream.of(EventKind.values()).map(EventKind::word), Stream.of(FROZEN, TOO_LONG))
          .collect(Collectors.toCollection(LinkedHashSet::new));

  public static final String ALLOWED = "a list of " + String.join(", ", ALL);

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
      if (!ALL.contains(kind)) {
        throw new InvalidValue("events", ALLOWED, "has an entry that is none of them");
      }
    }
    return List.copyOf(new TreeSet<>(kinds));
  }
}
