package io.naru.queue;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What may have happened in a queue, in the words that systems behind are told it with. */
public enum EventKind {
  /** Somebody has a place, or will have one. */
  JOINED(false),
  /** Somebody who had no place has one: by a draw, or since their time came. */
  PLACED(false),
  /** Somebody may go in. */
  ENTERED(true),
  COMPLETED(true),
  /** Somebody gave up their place or their turn. */
  LEFT(true),
  /** A place or a turn ended by itself. */
  EXPIRED(true),
  /** An operator took somebody out. */
  REMOVED(true),
  /** Somebody inside came back, and may try again for a while. */
  RETRYING(true),
  /** A turn ended since its visitor came back; they stand in front again. */
  RETURNED(true),
  /** Somebody stands in another lane. */
  MOVED(true),
  /** Somebody took a place along to another device, as another user. */
  HANDED_OFF(true),
  /** Nothing is kept of somebody any more. */
  ERASED(true),
  /** People may enter, since somebody or a time let them. */
  OPENED(true),
  /** Nobody may enter any more. */
  CLOSED(true),
  /** Nobody is let in. */
  PAUSED(true),
  /** People are let in again. */
  RESUMED(true),
  ENDED(true),
  /** The settings are others. */
  CHANGED(true),
  /** Nothing is left of what there was. */
  SOLD_OUT(true),
  /** There is something again. */
  RESTOCKED(true),
  /** The order of those who came before the opening is known. */
  DRAWN(true),
  /** A queue came from another ledger, with everybody in it. */
  IMPORTED(true),
  /** The queue is no more. */
  DELETED(true);

  /** What is told where nobody has set it: all but what comes for each who joins. */
  public static final Set<EventKind> USUAL =
      Collections.unmodifiableSet(
          EnumSet.copyOf(Arrays.stream(values()).filter(kind -> kind.isUsual).toList()));

  private static final Map<String, EventKind> BY_WORD =
      Arrays.stream(values()).collect(Collectors.toMap(EventKind::word, Function.identity()));

  private final boolean isUsual;
  private final String word;

  EventKind(boolean isUsual) {
    this.isUsual = isUsual;
    this.word = name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** As settings and events have it. */
  public String word() {
    return word;
  }

  /** Whether it is about somebody, and not about the queue as a whole. */
  public boolean isOfEntry() {
    return compareTo(ERASED) <= 0;
  }

  /** As CloudEvents call it. */
  public String type() {
    return "io.naru." + (isOfEntry() ? "entry." : "queue.") + word;
  }

  public static Optional<EventKind> of(String word) {
    return Optional.ofNullable(BY_WORD.get(word));
  }
}
