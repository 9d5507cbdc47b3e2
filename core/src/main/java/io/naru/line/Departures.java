package io.naru.line;

import java.util.Arrays;

/** Who left a line: how many from its front, and which scores from its middle. */
public final class Departures {

  /** Nobody left. */
  public static final Departures NONE = new Departures(0, new long[0]);

  /** What becomes of a place whose holder left the line, too. */
  public static final long GONE = -1;

  private final long front;
  private final long[] out;

  private Departures(long front, long[] sorted) {
    this.front = front;
    this.out = sorted;
  }

  /**
   * @param front how many left from the front
   * @param out the scores of the others, in any order
   */
  public static Departures of(long front, long... out) {
    if (front == 0 && out.length == 0) {
      return NONE;
    }
    long[] sorted = out.clone();
    Arrays.sort(sorted);
    return new Departures(front, sorted);
  }

  public boolean isNobody() {
    return front == 0 && out.length == 0;
  }

  /** How many left. */
  public long count() {
    return front + out.length;
  }

  /**
   * How many are ahead of somebody now who had {@code ahead} before them; {@link #GONE} if that
   * somebody left as well.
   */
  public long after(long ahead, long score) {
    int found = Arrays.binarySearch(out, score);
    if (found >= 0) {
      return GONE;
    }
    int smaller = -found - 1;
    // Those ahead cannot be fewer than those who left ahead, unless one was among them.
    return Math.max(GONE, ahead - front - smaller);
  }

  @Override
  public String toString() {
    return front + " from the front, " + Arrays.toString(out);
  }
}
