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
 */
public record LineState(
    long change,
    long waiting,
    List<LaneCount> lanes,
    long version,
    State state,
    Settings settings,
    Units units) {

  /** Of one line, without stock. */
  public LineState(long change, long waiting, long version, State state, Settings settings) {
    this(change, waiting, List.of(), version, state, settings, Units.NONE);
  }
}
