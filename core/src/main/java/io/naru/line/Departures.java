package io.naru.line;

import java.util.Arrays;
import java.util.Map;

/**
 * Who left a line: how many from the front of which lane, and which scores from the middle.
 * Nobody's place depends on those who left another lane; or on those whose place somebody else has
 * taken over.
 */
public final class Departures {

  /** Nobody left. */
  public static final Departures NONE = new Departures(Map.of(), new long[0], new long[0]);

  /** What becomes of a place whose holder left the line, too. */
  public static final long GONE = -1;

  private final int[] lanes;
  private final long[] fronts;
  private final long[] out;
  private final long[] taken;

  private Departures(Map<Integer, Long> fronts, long[] sorted, long[] taken) {
    this.lanes = fronts.keySet().stream().mapToInt(Integer::intValue).toArray();
    this.fronts = Arrays.stream(lanes).mapToLong(fronts::get).toArray();
    this.out = sorted;
    this.taken = taken;
  }

  /**
   * Of a line with one lane.
   *
   * @param front how many left from the front
   * @param out the scores of the others, in any order
   */
  public static Departures of(long front, long... out) {
    return of(front == 0 ? Map.of() : Map.of(0, front), out);
  }

  /**
   * @param fronts how many left from the front, by lane
   * @param out the scores of the others, in any order
   */
  public static Departures of(Map<Integer, Long> fronts, long... out) {
    return of(fronts, out, new long[0]);
  }

  /**
   * @param fronts how many left from the front, by lane
   * @param out the scores of the others, in any order
   * @param taken the scores that have another holder now, in any order
   */
  public static Departures of(Map<Integer, Long> fronts, long[] out, long[] taken) {
    if (fronts.isEmpty() && out.length == 0 && taken.length == 0) {
      return NONE;
    }
    return new Departures(fronts, sorted(out), sorted(taken));
  }

  private static long[] sorted(long[] scores) {
    long[] sorted = scores.clone();
    Arrays.sort(sorted);
    return sorted;
  }

  public boolean isNobody() {
    return fronts.length == 0 && out.length == 0 && taken.length == 0;
  }

  /** How many left. */
  public long count() {
    return Arrays.stream(fronts).sum() + out.length + taken.length;
  }

  /**
   * How many are ahead of somebody now who had {@code ahead} before them in their lane; {@link
   * #GONE} if that somebody left as well.
   */
  public long after(long ahead, long score) {
    if (taken.length > 0 && Arrays.binarySearch(taken, score) >= 0) {
      return GONE;
    }
    int lane = Score.lane(score);
    long left = 0;
    for (int i = 0; i < lanes.length; i++) {
      left += lanes[i] == lane ? fronts[i] : 0;
    }
    if (out.length > 0) {
      int found = Arrays.binarySearch(out, score);
      if (found >= 0) {
        return GONE;
      }
      left += -found - 1 - before(Score.inBand(lane, 0));
    }
    // Those ahead cannot be fewer than those who left ahead, unless one was among them.
    return Math.max(GONE, ahead - left);
  }

  /** How many of {@link #out} are smaller. */
  private int before(long score) {
    int found = Arrays.binarySearch(out, score);
    return found >= 0 ? found : -found - 1;
  }

  @Override
  public String toString() {
    return Arrays.toString(fronts)
        + " from the fronts of lanes "
        + Arrays.toString(lanes)
        + ", "
        + Arrays.toString(out);
  }
}
