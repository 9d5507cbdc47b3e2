package io.naru.line;

import java.util.ArrayList;
import java.util.List;

/**
 * Which tickets of a block are gone, of those behind the first who waits in its lane and before the
 * last.
 *
 * @param change at which that is so
 * @param gone in order
 */
public record Tile(long change, Tickets.Range range, List<Long> gone) {

  /**
   * A block of tickets.
   *
   * @param band the lane's
   * @param size how many tickets are in it
   */
  public record Block(int band, long from, int size) {

    public long upTo() {
      return from + size;
    }
  }

  public Tile {
    gone = List.copyOf(gone);
  }

  /**
   * @param waiting the tickets of those in the block who wait, in order
   */
  public static Tile of(long change, Tickets.Range range, Block block, List<Long> waiting) {
    List<Long> gone = new ArrayList<>();
    long next = Math.max(block.from(), range.front());
    for (long ticket : waiting) {
      for (; next < ticket; next++) {
        gone.add(next);
      }
      next = ticket + 1;
    }
    for (; next < Math.min(block.upTo(), range.last() + 1); next++) {
      gone.add(next);
    }
    return new Tile(change, range, gone);
  }
}
