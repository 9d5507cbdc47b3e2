package io.naru.server.entry;

import io.naru.queue.Drawing;
import io.naru.queue.LineState;
import io.naru.queue.Micros;
import io.naru.queue.QueueId;
import io.naru.queue.State;
import java.time.InstantSource;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Whether nobody is let in to a queue, and why: said with every place and on every board. */
public final class Pauses {

  private final Predicate<QueueId> isAway;
  private final InstantSource clock;

  /**
   * @param isAway whether nobody can be let in to a queue at the moment, whatever its state
   */
  public Pauses(Predicate<QueueId> isAway, InstantSource clock) {
    this.isAway = isAway;
    this.clock = clock;
  }

  /** Null if people are let in, or it is over anyway. */
  public @Nullable PausedBy by(QueueId queue, LineState line) {
    State state = line.state();
    if (state.isEnded()) {
      return null;
    }
    if (state.admissionPaused()) {
      return PausedBy.OPERATOR;
    }
    if (isAway.test(queue)) {
      return PausedBy.STORE;
    }
    if (secondsUntilAdmission(line) > 0) {
      return PausedBy.SCHEDULE;
    }
    if (line.drawing().phase() == Drawing.Phase.CLOSED) {
      return PausedBy.DRAW;
    }
    return line.settings().supply().isOut(line.units(), now()) ? PausedBy.STOCK : null;
  }

  /** What visitors may do now: what the operator allows, within the times that are set. */
  public State stateOf(LineState line) {
    return line.state().within(line.settings().times(), now());
  }

  /** The time by which that is judged, in microseconds. */
  public long now() {
    return Micros.now(clock);
  }

  long secondsUntilAdmission(LineState line) {
    long from = line.settings().times().admissionFrom();
    return from == 0 ? 0 : Math.ceilDiv(from - now(), Micros.PER_SECOND);
  }
}
