package io.naru.decision;

import io.naru.decision.Bands.Band;
import io.naru.queue.Lanes;
import org.jspecify.annotations.Nullable;

/**
 * Whose turn it is, one after the other.
 *
 * <p>Those who came back go first, and at nobody's cost. Then lanes take turns by weighted fair
 * queueing, as WF²Q+ does: a lane's turn takes {@code sum of all shares / its share}, and starts
 * when its last one ended; among the lanes whose turn has started, the one goes in whose turn ends
 * first. Without the first half of that, a large lane would run far ahead of small ones. The time
 * by which turns start goes on by one with everybody who goes in, and at least to the first start
 * among those who wait: so what an empty lane does not use flows to the others. A lane that was
 * empty starts now. So the k-th of a lane goes in as number {@code k / share} of all, and at most
 * as many later as there are lanes.
 *
 * <p>Tags are kept relative to that time, in billionths of a turn and rounded up: then it never
 * runs ahead of what is spent, and nobody is let in early for ever.
 */
final class Turns {

  /** One who goes in. */
  static final long ONE = 1_000_000_000;

  /** What is rounded must not keep a lane from a turn that starts just now. */
  private static final long SLACK = ONE / 1_000;

  private final Bands bands;
  private final long[] costs;
  private long time;

  Turns(Bands bands, Lanes lanes) {
    this.bands = bands;
    this.costs = bands.all().stream().mapToLong(band -> cost(band.name, lanes)).toArray();
  }

  /** How long a turn takes; 0 if lanes go one after the other. */
  private static long cost(String lane, Lanes lanes) {
    int share = lanes.laneOrder() == Lanes.Order.STRICT ? 0 : lanes.share(lane);
    return share == 0 ? 0 : Math.ceilDiv(lanes.shares() * ONE, share);
  }

  /** How many go in meanwhile. */
  static long whole(long tag) {
    return Math.max(0, Math.ceilDiv(tag, ONE));
  }

  /** The same part of a turn, where it takes another time. */
  static long rescaled(long tag, String lane, Lanes before, Lanes next) {
    long cost = cost(lane, before);
    return cost == 0 ? 0 : (long) ((double) tag * cost(lane, next) / cost);
  }

  /** Takes one from the band whose turn it is; null if nobody waits. */
  @Nullable Band take() {
    int next = next();
    if (next < 0) {
      return null;
    }
    Band band = bands.all().get(next);
    band.waiting--;
    if (costs[next] > 0) {
      band.tag += costs[next];
      time += ONE;
    }
    return band;
  }

  /** Puts back who was taken last. */
  void putBack(Band band) {
    long cost = costs[bands.all().indexOf(band)];
    band.waiting++;
    if (cost > 0) {
      band.tag -= cost;
      time -= ONE;
    }
  }

  private int next() {
    long start = Long.MAX_VALUE;
    for (int i = 0; i < costs.length; i++) {
      Band band = bands.all().get(i);
      if (isIn(band)) {
        if (costs[i] == 0) {
          return i;
        }
        start = Math.min(start, band.tag);
      }
    }
    if (start == Long.MAX_VALUE) {
      return -1;
    }
    time = Math.max(time, start);
    return firstToEnd();
  }

  /** Who has no place yet takes no turn. */
  private static boolean isIn(Band band) {
    return band.waiting > 0 && !band.isUnsettled();
  }

  private int firstToEnd() {
    int first = -1;
    long end = Long.MAX_VALUE;
    for (int i = 0; i < costs.length; i++) {
      Band band = bands.all().get(i);
      if (isIn(band) && band.tag <= time + SLACK && band.tag + costs[i] < end) {
        first = i;
        end = band.tag + costs[i];
      }
    }
    return first;
  }

  /** From now on tags are counted from here. */
  void end() {
    bands.all().forEach(band -> band.tag = band.waiting == 0 ? 0 : band.tag - time);
    time = 0;
  }
}
