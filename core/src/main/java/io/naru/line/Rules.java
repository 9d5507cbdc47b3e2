package io.naru.line;

import io.naru.queue.Drawing;
import io.naru.queue.Settings;
import io.naru.queue.State;
import io.naru.queue.Units;

/**
 * What the operator decided about a queue, and the site said, as far as a copy of its line needs
 * it.
 *
 * @param version which changes with all that the operator does
 * @param units what there is, if the queue goes by that
 * @param passedOver how many others go in before, rounded up
 * @param drawing how far its draw is
 */
public record Rules(
    long version, State state, Settings settings, Units units, long passedOver, Drawing drawing) {

  public Rules(long version, State state, Settings settings) {
    this(version, state, settings, Units.NONE, 0, Drawing.NONE);
  }
}
