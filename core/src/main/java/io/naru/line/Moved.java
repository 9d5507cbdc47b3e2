package io.naru.line;

import io.naru.queue.LineState;
import java.util.List;

/** What a line says about the time since some change. */
public sealed interface Moved {

  /**
   * All that happened.
   *
   * @param line as it is now
   * @param moves from then to now without a hole, in order; none if nothing happened
   */
  record Steps(LineState line, List<Move> moves) implements Moved {}

  /** That is not known any more: only asking for each place helps. */
  record Gap() implements Moved {}

  /** The line is older than that change; what is known of it is newer than what it can say. */
  record Older() implements Moved {}
}
