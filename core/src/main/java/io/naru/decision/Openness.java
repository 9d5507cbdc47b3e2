package io.naru.decision;

import io.naru.queue.State;
import io.naru.queue.Times;

/**
 * Whether people may enter, as the last decision found it and systems behind were told. A time that
 * comes changes it with nobody acting; so it says beforehand when to look again.
 *
 * @param isOpen whether people may enter: the lobby, too
 * @param until when a time makes it different or ends the queue; {@link Times#NEVER} if none does
 */
public record Openness(boolean isOpen, long until) {

  /** Of a queue that nobody has made yet. */
  public static final Openness NONE = new Openness(false, Times.NEVER);

  static Openness at(State state, Times times, long now) {
    if (state.isEnded()) {
      return NONE;
    }
    return state.entryOpen()
        ? new Openness(times.letsEnter(now), times.turnAfter(now))
        : new Openness(false, times.end());
  }
}
