package io.naru.line;

import io.naru.queue.LineState;
import java.util.ArrayList;
import java.util.List;

/**
 * Who waits where, in so few numbers that everybody can be given the same ones: of each lane the
 * first and the last ticket of those who wait, and how many of the tickets between them are gone,
 * by blocks. Who knows their ticket, and which of their own block are gone ({@link Tile}), knows
 * their place.
 *
 * <p>All of it follows from the tickets of those who wait, so every copy of the same state says the
 * same.
 *
 * @param block how many tickets are in a block: block <i>b</i> has those from <i>b × block</i> on
 */
public record Tickets(LineState line, int block, List<OfLane> lanes) {

  /** The smallest block. */
  public static final int LEAST_BLOCK = 1_024;

  /** All lanes together have no more blocks than these: they grow with the line. */
  public static final int MOST_BLOCKS = 256;

  /** The largest block there can be, by the longest line that a queue may have. */
  public static final int LARGEST_BLOCK = 1 << 17;

  /**
   * The first and the last ticket of those who wait in a lane.
   *
   * @param band by which the lane is known, as in {@link io.naru.queue.LaneCount}
   */
  public record Range(int band, long front, long last) {

    /** Nobody waits. */
    public static Range empty(int band) {
      return new Range(band, 1, 0);
    }

    boolean isEmpty() {
      return front > last;
    }

    /** In how many blocks of a size they lie. */
    public long blocks(int size) {
      return isEmpty() ? 0 : last / size - front / size + 1;
    }
  }

  /**
   * One lane.
   *
   * @param gone how many tickets are gone of each block, from that of the first who waits to that
   *     of the last
   */
  public record OfLane(Range range, List<Integer> gone) {}

  /** Counts those who wait. */
  @FunctionalInterface
  public interface Waiting {

    /** How many in a lane have a smaller ticket. */
    long before(int band, long ticket);
  }

  public static Tickets of(LineState line, List<Range> ranges, Waiting waiting) {
    int size = blockSize(ranges);
    List<OfLane> lanes = new ArrayList<>(ranges.size());
    for (Range range : ranges) {
      List<Integer> gone = new ArrayList<>();
      long from = range.front();
      for (int i = 0; i < range.blocks(size); i++) {
        long upTo = Math.min((from / size + 1) * size, range.last() + 1);
        long there = waiting.before(range.band(), upTo) - waiting.before(range.band(), from);
        gone.add((int) (upTo - from - there));
        from = upTo;
      }
      lanes.add(new OfLane(range, gone));
    }
    return new Tickets(line, size, lanes);
  }

  /** So large that all blocks together are no more than {@link #MOST_BLOCKS}. */
  private static int blockSize(List<Range> ranges) {
    int size = LEAST_BLOCK;
    while (blocks(ranges, size) > MOST_BLOCKS) {
      size *= 2;
    }
    return size;
  }

  private static long blocks(List<Range> ranges, int size) {
    return ranges.stream().mapToLong(range -> range.blocks(size)).sum();
  }
}
