package io.naru.server.fair;

import io.naru.fair.Order;
import io.naru.queue.DrawView;
import io.naru.queue.LaneCount;
import io.naru.queue.LineState;
import io.naru.server.entry.Drawn;
import java.util.ArrayList;
import java.util.List;

/**
 * The order of one draw, and where somebody stands by it while the line is still being made of it:
 * behind all who wait in their lane already, and behind those of the order who come before them and
 * are not in line yet. So it never rises: whoever goes from the second number to the first is
 * counted once all the time, and who has left meanwhile is counted no longer.
 */
final class DrawnOrder {

  private final DrawView view;
  private final Order order;

  /** How many of each lane are among the first so many, as it was asked for last. */
  private volatile Named named;

  private static final class Named {
    private final long settled;
    private final int[] byLane;

    Named(long settled, int[] byLane) {
      this.settled = settled;
      this.byLane = byLane;
    }
  }

  DrawnOrder(DrawView view, Order order) {
    this.view = view;
    this.order = order;
    this.named = new Named(0, new int[view.lanes().size()]);
  }

  boolean isOf(DrawView other) {
    return other.number() == view.number() && other.sealId().equals(view.sealId());
  }

  /** When those joined who come next. */
  List<Long> next(long from, int most) {
    int to = (int) Math.min(order.count(), from + most);
    List<Long> next = new ArrayList<>();
    for (int rank = (int) from; rank < to; rank++) {
      next.add(order.joinedAt(rank));
    }
    return next;
  }

  /** See {@link Drawn#ahead}. */
  long ahead(long joined, int band, LineState line) {
    int lane = laneOf(band);
    int rank = lane < 0 ? -1 : order.rankInLane(joined);
    if (rank < 0) {
      return Drawn.UNKNOWN;
    }
    int before = rank - named(line.drawing().settled()).byLane[lane];
    // In line by now: whoever asks the line again is told where.
    return before < 0 ? Drawn.UNKNOWN : waiting(band, line) + before;
  }

  private int laneOf(int band) {
    for (int i = 0; i < view.lanes().size(); i++) {
      if (view.lanes().get(i).band() == band) {
        return i;
      }
    }
    return -1;
  }

  private static long waiting(int band, LineState line) {
    return line.lanes().stream()
        .filter(lane -> lane.band() == band)
        .mapToLong(LaneCount::waiting)
        .sum();
  }

  private Named named(long settled) {
    Named last = named;
    if (last.settled == settled) {
      return last;
    }
    // Nearly always a step further than before.
    boolean isFurther = settled > last.settled;
    int[] byLane = isFurther ? last.byLane.clone() : new int[last.byLane.length];
    for (int rank = isFurther ? (int) last.settled : 0; rank < settled; rank++) {
      byLane[order.laneAt(rank)]++;
    }
    var now = new Named(settled, byLane);
    named = now;
    return now;
  }
}
