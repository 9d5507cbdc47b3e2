package io.naru.line;

import io.naru.queue.LaneCount;
import io.naru.queue.Lanes;
import io.naru.queue.LineState;
import java.util.OptionalLong;

/**
 * What the lane of somebody who waits makes of their place. Of somebody who has none yet, it says
 * in which lane that will be, and how many wait in it; the rest means nothing then.
 *
 * @param name of the lane; empty if there are none
 * @param waiting how many wait in it
 * @param atMostBefore so many go in before them at most, whoever arrives; empty where nobody can
 *     promise that. People who come back after a failed payment apart
 * @param aheadOfAll how many will go in before them if nobody else arrives, about
 */
public record InLane(String name, long waiting, OptionalLong atMostBefore, long aheadOfAll) {

  /**
   * @param ahead how many are before them in their lane
   */
  public static InLane of(LineState line, long score, long ahead) {
    if (line.lanes().isEmpty()) {
      return new InLane("", line.waiting(), OptionalLong.empty(), ahead);
    }
    int band = Score.settled(Score.lane(score));
    LaneCount own = new LaneCount(band, "", line.waiting(), 0);
    long before = 0;
    long others = 0;
    boolean isAbove = true;
    long shares = 0;
    long unsettled = 0;
    Lanes lanes = line.settings().lanes();
    for (LaneCount lane : line.lanes()) {
      if (lane.isUnsettled()) {
        // Whoever has no place yet is before nobody who has one.
        unsettled += lane.band() == Score.unsettled(band) ? lane.waiting() : 0;
      } else if (lane.band() == band) {
        own = lane;
        isAbove = false;
      } else {
        others += lane.waiting();
        before += isAbove || lane.band() == Score.FALLBACK ? lane.waiting() : 0;
        shares += lane.waiting() > 0 ? lanes.share(lane.name()) : 0;
      }
    }
    own = own.plus(unsettled);
    int share = lanes.share(own.name());
    if (share == 0 || lanes.laneOrder() == Lanes.Order.STRICT) {
      boolean isTop = !lanes.isNone() && lanes.lanes().getFirst().name().equals(own.name());
      return new InLane(
          own.name(),
          own.waiting(),
          isTop ? OptionalLong.of(ahead) : OptionalLong.empty(),
          ahead + before);
    }
    long turn = Math.ceilDiv((ahead + 1) * lanes.shares(), share);
    long fair = Math.ceilDiv((ahead + 1) * (shares + share), share) - 1;
    return new InLane(
        own.name(),
        own.waiting(),
        OptionalLong.of(own.owed() + turn + lanes.lanes().size()),
        Math.min(fair, ahead + others));
  }
}
