package io.naru.queue;

import java.util.List;

/**
 * What is the same for everybody in a queue when a place is read.
 *
 * @param change the number of the state the place belongs to
 * @param waiting how many are waiting in all
 * @param lanes how many of them in which lane; none if all stand in one line
 * @param version of the queue, as its operator changed it
 * @param state whether people may enter and are let in; if they are not, they keep their places
 * @param settings of which visitors are shown some; they travel as one text
 * @param units what there is, if the queue goes by that
 * @param passedOver how many who were not there others go in before, rounded up
 * @param drawing how far its draw is
 */
public record LineState(
    long change,
    long waiting,
    List<LaneCount> lanes,
    long version,
    State state,
    Settings settings,
    Units units,
    long passedOver,
    Drawing drawing) {

  /** Of one line, without stock. */
  public LineState(long change, long waiting, long version, State state, Settings settings) {
    this(change, waiting, List.of(), version, state, settings, Units.NONE, 0, Drawing.NONE);
  }

  /**
   * Who has fewer than these before them is near the front: their turn may come at any moment, so
   * they must ask for themselves, and it may matter whether they are there.
   */
  public long near() {
    return settings.door().passesOver()
        ? settings.pace().looked() + passedOver
        : settings.pace().near();
  }

  /** Whether it matters that somebody with so many before them is there. */
  public boolean looksAt(long ahead) {
    return settings.door().passesOver() && ahead < near();
  }

  /** As many or a few more, so that it seldom differs. */
  public static long roundedUp(long absent) {
    return Math.ceilDiv(absent, 1_000L) * 1_000;
  }

  /** From its end on a queue has ended, also if nobody has carried that out yet. */
  public LineState asOf(long now) {
    return new LineState(
        change,
        waiting,
        lanes,
        version,
        state.endedBy(settings.times(), now),
        settings,
        units,
        passedOver,
        drawing);
  }
}
