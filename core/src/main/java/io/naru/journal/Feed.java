package io.naru.journal;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What happens in all queues, for systems behind: each reader gets every event once and in order,
 * keeps a cursor for each queue, and what all of them have read is forgotten. A reader is one for
 * all servers of a store. Where there is none, nothing is noted.
 *
 * <p>A reader that stays away for too long loses what is oldest, and is told so by a gap: no queue
 * is ever kept waiting by one, and nothing grows without a bound.
 *
 * <p>Everything here blocks.
 */
public interface Feed {

  /** Nobody holds any work for longer; a later end is of a clock that has been set since. */
  Duration LONGEST_HOLD = Duration.ofMinutes(1);

  /**
   * From here on there is such a reader, of all that happens from now on; whoever reads for it says
   * so again every few seconds. Other servers notice within a second.
   *
   * @param reader a short word, the same on all servers
   */
  void listen(String reader);

  /** There is no such reader any more, and nothing is kept for it. */
  void end(String reader);

  /** Who reads. */
  Set<String> readers();

  /**
   * The queues of which a reader has not read everything, found by one question about all; those in
   * which nothing happens are not looked at.
   *
   * @param limit so many at most
   */
  List<Unread> unread(String reader, int limit);

  /**
   * What happened next, in order.
   *
   * @param after the change before
   * @param limit so many changes at most
   */
  Stretch happened(String reader, Unread of, long after, int limit);

  /**
   * Notes up to where a reader has everything, and forgets what nobody needs any more.
   *
   * @param to up to which change, of each of these queues as they were read
   * @return those of them that were still where they were; of the others nothing was done, since
   *     somebody else has read on
   */
  Set<Unread> advance(String reader, Map<Unread, Long> to);

  /** The same of one queue; whether it was done. */
  default boolean advance(String reader, Unread from, long to) {
    return !advance(reader, Map.of(from, to)).isEmpty();
  }

  /**
   * Whether this server is the one that does some work of a reader, for so long from now. That only
   * saves work: whoever was frozen for longer may believe so, too.
   *
   * @param work a short word, the same on all servers
   * @param server names this one
   */
  boolean hold(String work, String server, Duration time);

  /** Leaves that work to others at once. */
  void letGo(String work, String server);

  /**
   * What was read of a queue, and what could not be, as they were at one moment: at any other one
   * more may be gone.
   *
   * @param goneTo up to which change nothing is kept any more for a reader that has not read it
   * @param changes those behind it
   */
  record Stretch(long goneTo, List<Happened> changes) {

    public Stretch {
      changes = List.copyOf(changes);
    }

    /** Whether events are gone behind this change: of changes up to {@link #goneTo}. */
    public boolean hasGap(long after) {
      return goneTo > after;
    }
  }

  /**
   * How much is kept for a reader that stays away.
   *
   * @param changes of one queue, at most; about
   * @param age at most; whoever is not heard of for so long reads no more
   */
  record Bounds(long changes, Duration age) {

    public static final Bounds DEFAULT = new Bounds(1_000_000, Duration.ofHours(24));

    /** In microseconds. */
    public long micros() {
      return age.toNanos() / 1_000;
    }
  }
}
