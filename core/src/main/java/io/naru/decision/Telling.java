package io.naru.decision;

import io.naru.queue.EndReason;
import io.naru.queue.EventKind;
import io.naru.queue.Json;
import io.naru.queue.Micros;
import io.naru.queue.Settings;
import io.naru.queue.State;
import io.naru.queue.Stocked;
import io.naru.queue.Supply;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What systems behind are told of one change, noted where each event is decided, in that order: a
 * line each, the word of its {@link EventKind} and what belongs to it as a JSON object. This is the
 * one place that says which decision is which event outside.
 *
 * <p>It is beside {@link Events}, not made of them: those are published, so they have no names in
 * them but where somebody joins; and they have to be what they are for as long as logs are checked.
 *
 * <p>Where nobody reads, nothing is noted, and nothing is made in order to find that out.
 */
final class Telling {

  private final QueueState queue;
  private final boolean hasReaders;
  private final StringBuilder text = new StringBuilder(0);
  private Set<EventKind> kinds;

  /**
   * @param hasReaders whether anybody reads what happens in the queues of this store
   */
  Telling(QueueState queue, boolean hasReaders) {
    this.queue = queue;
    this.hasReaders = hasReaders;
    this.kinds = wanted(queue.settings);
  }

  private Set<EventKind> wanted(Settings settings) {
    return hasReaders ? settings.reporting().kinds() : Set.of();
  }

  /**
   * The settings and the state that hold from here on.
   *
   * @param openness what they make of the entry
   */
  void rules(Settings settings, State state, Openness openness) {
    if (!hasReaders) {
      return;
    }
    kinds = wanted(settings);
    State before = queue.state;
    if (queue.version == 1 || !settings.equals(queue.settings)) {
      tell(EventKind.CHANGED, "version", queue.version);
    }
    if (state.isEnded() && !before.isEnded()) {
      tell(EventKind.ENDED);
    } else {
      entry(openness);
    }
    if (!state.isEnded() && state.admissionPaused() != before.admissionPaused()) {
      if (state.admissionPaused()) {
        tell(EventKind.PAUSED, "reason", state.reason());
      } else {
        tell(EventKind.RESUMED);
      }
    }
  }

  /** Whether people may enter, by whatever act or time. */
  void entry(Openness openness) {
    if (openness.isOpen() != queue.openness.isOpen()) {
      tell(openness.isOpen() ? EventKind.OPENED : EventKind.CLOSED);
    }
  }

  void join(EntryState entry) {
    of(EventKind.JOINED, entry, "lane", queue.bands.name(entry.score));
  }

  void place(EntryState entry) {
    of(EventKind.PLACED, entry, "lane", queue.bands.name(entry.score));
  }

  void move(EntryState entry) {
    of(EventKind.MOVED, entry, "lane", queue.bands.name(entry.score));
  }

  void enter(EntryState entry) {
    if (kinds.contains(EventKind.ENTERED)) {
      of(EventKind.ENTERED, entry, "passExpiresAt", Micros.iso(entry.until));
    }
  }

  void retry(EntryState entry) {
    if (kinds.contains(EventKind.RETRYING)) {
      of(EventKind.RETRYING, entry, "passExpiresAt", Micros.iso(entry.until));
    }
  }

  void end(EntryState entry) {
    if (entry.reason == EndReason.NONE) {
      of(kindOf(entry), entry);
    } else {
      of(kindOf(entry), entry, "reason", entry.reason.text());
    }
  }

  private static EventKind kindOf(EntryState ended) {
    return switch (ended.status) {
      case COMPLETED -> EventKind.COMPLETED;
      case EXPIRED -> ended.reason == EndReason.RETURNED ? EventKind.RETURNED : EventKind.EXPIRED;
      case LEFT -> ended.reason.isOperators() ? EventKind.REMOVED : EventKind.LEFT;
      case WAITING, ENTERED ->
          throw new IllegalStateException("the entry of " + ended.user + " has not ended");
    };
  }

  void handOff(EntryState entry, EntryState taken) {
    if (kinds.contains(EventKind.HANDED_OFF)) {
      of(EventKind.HANDED_OFF, entry, "toUser", taken.user, "toJoinedAt", Micros.iso(taken.joined));
    }
  }

  void erase(String user) {
    tell(EventKind.ERASED, "user", user);
  }

  /**
   * What the site says there is.
   *
   * @param before what it said last; null if nothing
   */
  void stock(@Nullable Stocked before, Stocked now) {
    Supply supply = queue.settings.supply();
    boolean wasOut = before != null && supply.isGone(before.units());
    boolean isOut = supply.isGone(now.units());
    if (wasOut != isOut) {
      tell(
          isOut ? EventKind.SOLD_OUT : EventKind.RESTOCKED,
          "remaining",
          now.units().remaining(),
          "held",
          now.units().held());
    }
  }

  void drawn(int number) {
    tell(EventKind.DRAWN, "number", number);
  }

  void imported() {
    tell(EventKind.IMPORTED, "waiting", queue.waiting, "inside", queue.inside);
  }

  void delete() {
    tell(EventKind.DELETED);
  }

  private void of(EventKind kind, EntryState entry, Object... more) {
    if (kinds.contains(kind)) {
      begin(kind).append("\"user\":");
      Json.write(text, entry.user);
      text.append(",\"joinedAt\":\"").append(Micros.iso(entry.joined)).append('"');
      members(",", more);
    }
  }

  private void tell(EventKind kind, Object... members) {
    if (kinds.contains(kind)) {
      begin(kind);
      members("", members);
    }
  }

  private StringBuilder begin(EventKind kind) {
    return text.append(text.isEmpty() ? "" : "\n").append(kind.word()).append('{');
  }

  /** Names and values by turns; what is an empty text is left out. */
  private void members(String before, Object... members) {
    String comma = before;
    for (int i = 0; i < members.length; i += 2) {
      if (!members[i + 1].equals("")) {
        text.append(comma).append('"').append(members[i]).append("\":");
        Json.write(text, members[i + 1]);
        comma = ",";
      }
    }
    text.append('}');
  }

  /** All of it; empty if there is nothing. */
  String text() {
    return text.toString();
  }
}
