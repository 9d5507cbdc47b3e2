package io.naru.server.entry;

import io.naru.line.Score;
import io.naru.queue.Drawing.Phase;
import io.naru.queue.EntryKey;
import io.naru.queue.LineState;

/**
 * What there is to show of somebody who waits: their place, the one they were drawn, or that there
 * is none yet. How those stand among each other whose place is not decided means nothing.
 *
 * @param score in their lane, also of those who do not stand in it yet
 * @param ahead {@link Drawn#UNKNOWN} while there is no place
 * @param isDrawn whether the place follows from the draw, and they do not stand there yet
 * @param isInLobby whether a draw decides about them that is not over
 */
public record Shown(long score, long ahead, boolean isDrawn, boolean isInLobby) {

  static Shown of(EntryKey key, long score, long ahead, LineState line, Drawn drawn) {
    int band = Score.lane(score);
    if (!Score.isUnsettled(band)) {
      return new Shown(score, ahead, false, false);
    }
    int lane = Score.settled(band);
    long there = Score.inBand(lane, 0);
    boolean isInLobby = isInLobby(key, line);
    if (isInLobby && line.drawing().phase() == Phase.DRAWN) {
      long before = drawn.ahead(key, lane, line);
      return new Shown(there, before, before != Drawn.UNKNOWN, true);
    }
    return new Shown(there, Drawn.UNKNOWN, false, isInLobby);
  }

  /** Whether somebody without a place came before the list was closed. */
  private static boolean isInLobby(EntryKey key, LineState line) {
    return switch (line.drawing().phase()) {
      case NONE, DONE -> false;
      case LOBBY -> true;
      case CLOSED, DRAWN -> key.joined() <= line.drawing().lastJoined();
    };
  }

  public boolean isKnown() {
    return ahead != Drawn.UNKNOWN;
  }
}
