package io.naru.decision;

import io.naru.queue.Drawing.Phase;
import io.naru.queue.InvalidValue;
import io.naru.queue.Micros;
import io.naru.transfer.MovedEntry;
import io.naru.transfer.MovedQueue;
import org.jspecify.annotations.Nullable;

/**
 * How far a queue is that comes from another ledger; of one that is there since long, from what.
 *
 * @param id of what it is made from
 * @param count how many entries it is to have
 * @param done how many of them it has
 * @param isWhole whether it is there
 * @param isAtLine whether the last one that came waits; then all that follow do
 * @param last where that one is in its order
 * @param first when the earliest of those who came had joined; 0 if nobody came
 */
public record Restoring(
    String id, long count, long done, boolean isWhole, boolean isAtLine, long last, long first) {

  static Restoring begin(String id, long count) {
    return new Restoring(id, count, 0, false, false, 0, 0);
  }

  /** The inverse of {@link #text()}. */
  public static @Nullable Restoring ofText(@Nullable String text) {
    if (text == null) {
      return null;
    }
    String[] all = text.split(" ", -1);
    return new Restoring(
        all[0],
        Long.parseLong(all[1]),
        Long.parseLong(all[2]),
        all[3].equals("1"),
        all[4].equals("1"),
        Long.parseLong(all[5]),
        // An earlier version did not say.
        all.length > 6 ? Long.parseLong(all[6]) : 0);
  }

  /** As one text, for stores. */
  public String text() {
    return String.join(
        " ",
        id,
        "" + count,
        "" + done,
        isWhole ? "1" : "0",
        isAtLine ? "1" : "0",
        "" + last,
        "" + first);
  }

  /** With one more. */
  Restoring with(MovedEntry next) {
    long at = next.isWaiting() ? next.score() : next.joined();
    long earliest = first == 0 ? next.joined() : Math.min(first, next.joined());
    return new Restoring(id, count, done + 1, false, next.isWaiting(), at, earliest);
  }

  /** Whether this one comes behind all that came. */
  boolean isNext(MovedEntry entry) {
    if (done == 0 || entry.isWaiting() != isAtLine) {
      return done == 0 || entry.isWaiting();
    }
    return (isAtLine ? entry.score() : entry.joined()) > last;
  }

  Restoring whole() {
    return new Restoring(id, count, done, true, isAtLine, last, first);
  }

  /**
   * Since when people join it, as gates are told. They also tell by it one queue of a name from the
   * next, and the same people may be brought here twice: so it is a moment in the second before the
   * first of them, and another one each time.
   *
   * @param createdAt when it began to come here
   */
  long born(long createdAt) {
    return first == 0 ? createdAt : Math.max(1, first - 1 - createdAt % Micros.PER_SECOND);
  }

  /**
   * @throws InvalidValue if no queue can be made of this
   */
  static void check(MovedQueue queue) {
    if (queue.draw() == Phase.CLOSED || queue.draw() == Phase.DRAWN) {
      throw new InvalidValue(
          "draw",
          "NONE, LOBBY or DONE",
          "is under way and cannot be moved; export the queue again when it is done");
    }
    var _ = Bands.restored(queue.lanes(), queue.tickets(), queue.settings().lanes());
  }
}
