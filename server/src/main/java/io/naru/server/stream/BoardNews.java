package io.naru.server.stream;

import io.naru.queue.LineState;
import io.naru.queue.Micros;
import io.naru.queue.QueueId;
import io.naru.queue.State;
import io.naru.server.board.BoardJson;
import io.naru.server.board.StockWord;
import io.naru.server.entry.DrawInfo;
import io.naru.server.entry.Outlook;
import io.naru.server.entry.PausedBy;
import io.naru.server.entry.Pauses;
import io.vertx.core.buffer.Buffer;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The board of one queue as its viewers on one event loop are told it: made once per news. */
final class BoardNews {

  private static final long FIGURES_EVERY = 2 * Micros.PER_SECOND;

  private final QueueId queue;
  private final Outlook outlook;
  private final Pauses pauses;
  private @Nullable Told told;
  private long toldAt;
  private int number;
  private Buffer json = Buffer.buffer();
  private final Map<Frames, Buffer> frames = new HashMap<>();

  /** What it depends on; how many wait changes all the time and is no news. */
  private record Told(
      long version,
      State state,
      @Nullable PausedBy paused,
      StockWord stock,
      @Nullable DrawInfo draw,
      long remaining,
      long held) {

    /** Whether nothing is different but how much there is. */
    boolean isNearly(Told other) {
      return equals(
          new Told(
              other.version, other.state, other.paused, other.stock, other.draw, remaining, held));
    }
  }

  BoardNews(QueueId queue, Outlook outlook) {
    this.queue = queue;
    this.outlook = outlook;
    this.pauses = outlook.pauses();
  }

  /** Takes the line as it is now. */
  void see(LineState line) {
    var now =
        new Told(
            line.version(),
            pauses.stateOf(line),
            pauses.by(queue, line),
            StockWord.of(line, pauses.now()),
            draw(line),
            line.units().remaining(),
            line.units().held());
    if (!now.equals(told) && !isTooSoon(now)) {
      told = now;
      toldAt = pauses.now();
      number++;
      json = BoardJson.of(queue, line, outlook);
      frames.clear();
    }
  }

  /** How far a draw is; how many have come so far is no news. */
  private @Nullable DrawInfo draw(LineState line) {
    DrawInfo draw = DrawInfo.of(queue, line, outlook.drawn());
    return draw == null || draw.opensAt() == 0 ? draw : draw.withoutPeople();
  }

  /** The site may say ten times a second what there is; nobody reads that fast. */
  private boolean isTooSoon(Told now) {
    // Also soon after a clock went back, by however much.
    boolean isSoon = Math.abs(pauses.now() - toldAt) < FIGURES_EVERY;
    return told != null && now.isNearly(told) && isSoon;
  }

  /** Counts the news; 0 before there is any. */
  int number() {
    return number;
  }

  /** The message, in the words of a channel. */
  Buffer frame(Frames channel) {
    return frames.computeIfAbsent(channel, words -> words.board(json)).copy();
  }
}
