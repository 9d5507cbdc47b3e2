package io.naru.line;

import java.util.List;

/**
 * A place in line that somebody watches, kept exact from the {@link Move}s of the line without
 * asking for it again. It belongs to a change; a move counts if it leads on from there.
 */
public final class Spot {

  private long score;
  private long ahead;
  private long change;

  /** What following some moves came to. */
  public enum Seen {
    /** As before; at most the change is a later one. */
    SAME,
    /** Fewer are ahead. */
    NEARER,
    /** No longer in line: inside, or gone. */
    OUT,
    /** The moves do not lead on from this place: only asking again helps. */
    LOST
  }

  public Spot(long score, long ahead, long change) {
    this.score = score;
    this.ahead = ahead;
    this.change = change;
  }

  public long score() {
    return score;
  }

  /** How many are ahead, where that is {@link #isKnown() known}. */
  public long ahead() {
    return ahead;
  }

  /** Whether there is a place to speak of: somebody who went out of the line has none. */
  public boolean isKnown() {
    return ahead != Departures.GONE;
  }

  /** The change that the place belongs to. */
  public long change() {
    return change;
  }

  /** Takes the place as it was read, unless that is older than what is known. */
  public boolean read(long scoreThen, long aheadThen, long changeThen) {
    if (changeThen < change) {
      return false;
    }
    // Another one if somebody was moved to another lane.
    score = scoreThen;
    ahead = aheadThen;
    change = changeThen;
    return true;
  }

  /**
   * @param moves without holes, in order; those that are over already are passed by
   */
  public Seen follow(List<Move> moves) {
    Seen seen = Seen.SAME;
    for (Move move : moves) {
      if (move.to() <= change) {
        continue;
      }
      // Where nobody left, the place was the same all the way.
      if (move.from() > change || (move.from() < change && !move.departures().isNobody())) {
        return Seen.LOST;
      }
      long before = ahead;
      ahead = move.departures().after(before, score);
      change = move.to();
      if (ahead == Departures.GONE) {
        return Seen.OUT;
      }
      // Who has no place yet is not nearer to anything.
      if (ahead < before && !Score.isUnsettled(Score.lane(score))) {
        seen = Seen.NEARER;
      }
    }
    return seen;
  }
}
