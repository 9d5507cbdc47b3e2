package io.naru.fair;

import io.naru.queue.Fairness.Draw;
import java.math.BigDecimal;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One event in the public log of a queue. All that decides an order is one; nobody's name is in
 * any. Times are microseconds since 2026-01-01, by the clock of where it was decided; {@code
 * joined} names an entry; hashes, seeds and signatures are in hex. {@link Records} has their text.
 */
public sealed interface LogRecord {

  /** The number of the change that it belongs to; all of one change happened at once. */
  long change();

  /** When that was. */
  long at();

  /**
   * The rules from here on: first of all, and after every edit, act or end.
   *
   * @param settings those that decide: all but the look
   * @param state what the operator allows, in one word
   * @param endedAt 0 as long as it has not ended
   */
  record Rules(
      long change,
      long at,
      long version,
      Map<String, @Nullable Object> settings,
      String state,
      boolean entryOpen,
      boolean admissionPaused,
      long endedAt)
      implements LogRecord {

    public Rules {
      settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
    }
  }

  /**
   * What will decide: the hashes of seeds that are fixed from here on.
   *
   * @param number of the draw, from 1; 0 where there is no lobby
   * @param chain of the public coin; empty where there is none
   */
  record Lobby(
      long change,
      long at,
      long number,
      Draw draw,
      String commitment,
      String windowCommitment,
      String chain)
      implements LogRecord {}

  /**
   * A new entry.
   *
   * @param lane empty where there are none
   * @param score null as long as its place is not decided
   */
  record Join(
      long change,
      long at,
      long joined,
      String leaf,
      String lane,
      @Nullable Long score,
      long ticket)
      implements LogRecord {}

  /** Somebody who joined without a place has one: by jitter, by a window, or after a draw. */
  record Settle(long change, long at, long joined, String lane, long score, long ticket)
      implements LogRecord {}

  /**
   * A step of the draw: those of its order from one rank to before another have their places. Their
   * numbers grow by one from each who still waits to the next, over all lanes.
   *
   * @param number of the draw
   * @param from the first rank, from 0
   * @param upTo the rank behind the last
   * @param firsts who is first of each lane in this step
   * @param gone who had left before: when they joined, in the order of the draw
   */
  record Settled(
      long change,
      long at,
      long number,
      long from,
      long upTo,
      Map<String, First> firsts,
      List<Long> gone)
      implements LogRecord {

    /** The place of the first of a lane. */
    public record First(long score, long ticket) {}

    public Settled {
      firsts = Collections.unmodifiableMap(new LinkedHashMap<>(firsts));
      gone = List.copyOf(gone);
    }
  }

  /** Admitted, and may stay until then. */
  record Enter(long change, long at, long joined, long until) implements LogRecord {}

  /**
   * An entry is over.
   *
   * @param status LEFT, EXPIRED or COMPLETED
   * @param reason as {@code EndReason} has it; empty for none
   */
  record End(long change, long at, long joined, String status, String reason)
      implements LogRecord {}

  /** Somebody inside came back, and may try again until then. */
  record Return(long change, long at, long joined, long until) implements LogRecord {}

  /**
   * Moved to the end of another lane.
   *
   * @param score null if its place is not decided there either
   */
  record Move(long change, long at, long joined, String lane, @Nullable Long score, long ticket)
      implements LogRecord {}

  /** The same place, as another entry. */
  record Handoff(long change, long at, long joined, long newJoined, String leaf)
      implements LogRecord {}

  /** Others may go in before this one, who was not there or owed something. */
  record Pass(long change, long at, long joined) implements LogRecord {}

  /** And no longer. */
  record Back(long change, long at, long joined) implements LogRecord {}

  /** Of everybody who was passed over that is forgotten: the queue goes by it no longer. */
  record Present(long change, long at) implements LogRecord {}

  /** The clock went back: a stay that would have been too long ends then. */
  record Cut(long change, long at, long joined, long until) implements LogRecord {}

  /** The next so many are let in by an operator, beside the rate. */
  record ByHand(long change, long at, long count) implements LogRecord {}

  /** What there is, as the site said it. */
  record Stock(long change, long at, long remaining, long held) implements LogRecord {}

  /** The rate from here on, where it follows the site. */
  record Rate(long change, long at, BigDecimal perSecond) implements LogRecord {}

  /** Who is drawn is fixed: those who wait and joined until then. */
  record Close(long change, long at, long number, long lastJoined, long count)
      implements LogRecord {}

  /**
   * The list of those who are drawn.
   *
   * @param lanes how many of each, in the order of the settings
   * @param round of the coin; 0 where there is none
   */
  record Seal(
      long change, long at, long number, String root, long count, List<InLane> lanes, long round)
      implements LogRecord {

    /** How many are in a lane. */
    public record InLane(String lane, long count) {}

    public Seal {
      lanes = List.copyOf(lanes);
    }
  }

  /** The public coin. */
  record Coin(long change, long at, long number, long round, String signature)
      implements LogRecord {}

  /** The order is known: by what it was drawn, and the seed. */
  record Drawn(long change, long at, long number, Draw draw, String seed) implements LogRecord {}

  /** What decided about jitter and windows. */
  record Seeds(long change, long at, String windowSeed) implements LogRecord {}

  /** Everybody stands in line. */
  record Done(long change, long at, long number) implements LogRecord {}

  /** The queue is no more. */
  record Delete(long change, long at) implements LogRecord {}
}
