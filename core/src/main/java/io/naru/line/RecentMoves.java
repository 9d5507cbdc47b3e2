package io.naru.line;

import io.naru.queue.LineState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** Who left a line lately, by change. Changes with which nobody left are not kept: they show. */
public final class RecentMoves {

  private static final int MAX_MOVES = 4_096;
  private static final int MAX_DEPARTURES = 65_536;

  private final ArrayDeque<Move> kept = new ArrayDeque<>();
  private long departures;

  /** Everything since this change is known. */
  private long knownFrom;

  /**
   * @param knownFrom the change at which this begins
   */
  public RecentMoves(long knownFrom) {
    this.knownFrom = knownFrom;
  }

  public void add(long from, long to, Departures left) {
    if (left.isNobody()) {
      return;
    }
    kept.add(new Move(from, to, left));
    departures += left.count();
    while (kept.size() > MAX_MOVES || departures > MAX_DEPARTURES) {
      Move oldest = kept.remove();
      departures -= oldest.departures().count();
      knownFrom = oldest.to();
    }
  }

  public Moved since(long change, LineState line) {
    if (change > line.change()) {
      return new Moved.Older();
    }
    if (change < knownFrom) {
      return new Moved.Gap();
    }
    List<Move> moves = new ArrayList<>();
    long at = change;
    for (Move move : kept) {
      if (move.to() > change) {
        if (move.from() > at) {
          moves.add(new Move(at, move.from(), Departures.NONE));
        }
        moves.add(move);
        at = move.to();
      }
    }
    if (at < line.change()) {
      moves.add(new Move(at, line.change(), Departures.NONE));
    }
    return new Moved.Steps(line, moves);
  }
}
