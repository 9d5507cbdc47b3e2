package io.naru.server.stream;

import io.naru.queue.LineState;
import io.naru.queue.QueueId;
import io.naru.queue.State;
import io.naru.server.board.BoardJson;
import io.naru.server.entry.PausedBy;
import io.naru.server.entry.Pauses;
import io.vertx.core.buffer.Buffer;
import org.jspecify.annotations.Nullable;

/** The board of one queue as its viewers on one event loop are told it: made once per news. */
final class BoardNews {

  private final QueueId queue;
  private final Pauses pauses;
  private @Nullable Told told;
  private int number;
  private Buffer frame = Buffer.buffer();

  /** What it depends on; how many wait changes all the time and is no news. */
  private record Told(long version, State state, @Nullable PausedBy paused) {}

  BoardNews(QueueId queue, Pauses pauses) {
    this.queue = queue;
    this.pauses = pauses;
  }

  /** Takes the line as it is now. */
  void see(LineState line) {
    var now = new Told(line.version(), pauses.stateOf(line), pauses.by(queue, line));
    if (!now.equals(told)) {
      told = now;
      number++;
      frame = Frames.board(BoardJson.of(queue, line, pauses));
    }
  }

  /** Counts the news; 0 before there is any. */
  int number() {
    return number;
  }

  /** The message. */
  Buffer frame() {
    return frame;
  }
}
