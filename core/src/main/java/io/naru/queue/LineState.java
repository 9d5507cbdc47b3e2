package io.naru.queue;

/**
 * What is the same for everybody in a queue when a place is read.
 *
 * @param change the number of the state the place belongs to
 * @param waiting how many are waiting in all
 * @param version of the queue, as its operator changed it
 * @param state whether people may enter and are let in; if they are not, they keep their places
 * @param settings of which visitors are shown some; they travel as one text
 * @param units what there is, if the queue goes by that
 */
public record LineState(
    long change, long waiting, long version, State state, Settings settings, Units units) {

  public LineState(long change, long waiting, long version, State state, Settings settings) {
    this(change, waiting, version, state, settings, Units.NONE);
  }
}
