package io.naru.server.pass;

import io.naru.line.Told;
import io.naru.server.pass.EndedFeed.Cursor;
import java.time.Instant;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * The turns that are over in one life of a queue, as far as a server has read them: all up to a
 * change, or the latest of those. One thread at a time.
 */
final class KnownOver {

  /** So many of its last states a server remembers: gates ask again within a few seconds. */
  private static final int MAX_MARKS = 16;

  /** Where this server was lately. */
  private final NavigableSet<Long> marks = new TreeSet<>();

  private OverTurns turns = new OverTurns();
  private long born;
  private long since;
  private long change;
  private Instant readAt = Instant.EPOCH;
  private boolean isRead;

  /** When what is known was read last; long ago if nothing was, yet. */
  Instant readAt() {
    return readAt;
  }

  /** Since when the queue is there; 0 if there is none. */
  long born() {
    return born;
  }

  /** Up to where all is known. */
  long change() {
    return change;
  }

  /** What is not later than this is not here; 0 if everything is. */
  long since() {
    return since;
  }

  OverTurns turns() {
    return turns;
  }

  /** What was to be read has been added. */
  void reached(Told told, Instant at) {
    readAt = at;
    isRead = true;
    switch (told) {
      case Told.NoQueue() -> {}
      case Told.UpTo(long of, long upTo) -> reached(of, upTo);
      case Told.Latest(long of, long after, long upTo) -> {
        since = after;
        reached(of, upTo);
      }
    }
    turns.forget(at.getEpochSecond());
  }

  private void reached(long of, long upTo) {
    born = of;
    change = upTo;
    marks.add(upTo);
    if (marks.size() > MAX_MARKS) {
      marks.removeFirst();
    }
  }

  /** Whether this is of another queue of that name, or of one that has lost changes since. */
  boolean isOfAnother(Told told) {
    return told instanceof Told.UpTo(long of, long upTo)
        && born != 0
        && (of != born || upTo < change);
  }

  /** Takes what was missing: all that are not later than {@link #since}. */
  void precede(OverTurns earlier) {
    earlier.addAll(turns);
    turns = earlier;
    since = 0;
  }

  /** Whether all is here that somebody is to be told who has been told so far. */
  boolean has(Cursor cursor) {
    return isRead && (since == 0 || from(cursor) >= since);
  }

  /** Who asks for what is not there yet was told by a server that is ahead: nothing is new. */
  long from(Cursor cursor) {
    return cursor.born() != born ? 0 : Math.min(cursor.change(), change);
  }

  /** From where on somebody is told who knows so much. */
  long border(Cursor cursor) {
    long from = from(cursor);
    Long mark = marks.floor(from);
    return Math.max(since, Math.max(turns.border(from), mark == null ? 0 : mark));
  }

  /** What comes next for somebody who knows so much, without what is over by now. */
  OverTurns.Part after(Cursor cursor, Instant now) {
    return turns.after(from(cursor), now.getEpochSecond());
  }
}
