package io.naru.ledger;

import io.naru.line.Departures;
import io.naru.line.Fact;
import io.naru.line.Moved;
import io.naru.line.Original;
import io.naru.line.RecentMoves;
import io.naru.line.Score;
import io.naru.line.Tickets;
import io.naru.line.Tile;
import io.naru.queue.LaneCount;
import io.naru.queue.LineState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The order of one line without its people: scores and tickets of those who wait, 16 bytes each.
 * Where somebody stands is then one search, and the whole line is counted once, however many ask.
 *
 * <p>It belongs to a change of the ledger and is moved on by the rows that were touched since. Who
 * joins comes to the end; who leaves from the front moves the front; who leaves from the middle
 * leaves a hole, which is counted, until there are so many that closing them is worth it.
 *
 * <p>Whoever reads the ledger for it holds its lock, so that it never meets an older state.
 */
final class Tally {

  private static final int MAX_HOLES = 4_096;

  private final Original of;
  private final RecentMoves moves;
  private long[] scores;

  /** Of those with these scores; in a lane, in the same order. */
  private long[] tickets;

  /** Those in line are {@code scores[front..end)}, less the holes. */
  private int front;

  private int end;

  /** In order, and each among the scores. */
  private long[] holes = {};

  private LineState line;

  /**
   * @param scores of all who wait, in order; this tally's own from now on
   * @param tickets theirs
   */
  Tally(Original of, long[] scores, long[] tickets, int count, LineState line) {
    this.of = of;
    this.scores = scores;
    this.tickets = tickets;
    this.end = count;
    this.line = line;
    this.moves = new RecentMoves(line.change());
  }

  Original of() {
    return of;
  }

  long change() {
    return line.change();
  }

  /** How many wait. */
  int size() {
    return end - front - holes.length;
  }

  /** For how many there is room, which is what it takes. */
  int room() {
    return scores.length;
  }

  /** How many are before this score in its lane; -1 if nobody in line has it. */
  long ahead(long score) {
    int at = indexOf(score);
    if (at < 0) {
      return -1;
    }
    int hole = Arrays.binarySearch(holes, score);
    return hole >= 0 ? -1 : at - front - (-hole - 1) - before(Score.laneFrom(score));
  }

  /** How many stand in the lanes before one. */
  private int before(long lane) {
    if (scores[front] >= lane) {
      return 0;
    }
    int at = indexOf(lane);
    int hole = Arrays.binarySearch(holes, lane);
    return (at < 0 ? -at - 1 : at) - front - (hole < 0 ? -hole - 1 : hole);
  }

  private int indexOf(long score) {
    return Arrays.binarySearch(scores, front, end, score);
  }

  /**
   * Goes on to a later state.
   *
   * @param touched since the present one, as they stand at {@code next}
   * @return false if it does not add up: then it is of no more use
   */
  boolean advance(List<Fact> touched, LineState next) {
    Set<Long> out = new HashSet<>();
    Set<Long> takenOver = new HashSet<>();
    List<Integer> unsettled = unsettled(line);
    for (Fact fact : touched) {
      for (int band : unsettled) {
        // Who has a place by now, or another lane, was here without one; whatever became of them.
        long before = Score.inBand(band, fact.joined());
        if (before != fact.score() && ahead(before) >= 0) {
          out.add(before);
        }
      }
      boolean isIn = ahead(fact.score()) >= 0;
      switch (fact.status()) {
        case WAITING -> {
          if (!isIn) {
            add(fact.score(), fact.ticket());
          }
          if (fact.isApart()) {
            takenOver.add(fact.score());
          }
        }
        case ENTERED, COMPLETED, EXPIRED, LEFT -> {
          if (isIn) {
            out.add(fact.score());
          }
        }
      }
    }
    long[] gone = out.stream().filter(s -> !takenOver.contains(s)).mapToLong(s -> s).toArray();
    long[] taken = out.stream().filter(takenOver::contains).mapToLong(s -> s).toArray();
    remove(gone);
    synchronized (moves) {
      moves.add(line.change(), next.change(), Departures.of(Map.of(), gone, taken));
      line = next;
    }
    return size() == next.waiting();
  }

  private static List<Integer> unsettled(LineState line) {
    return line.lanes().stream().filter(LaneCount::isUnsettled).map(LaneCount::band).toList();
  }

  private void add(long score, long ticket) {
    int hole = Arrays.binarySearch(holes, score);
    if (hole >= 0) {
      // Whoever has no place yet and is back in their lane: it is the same score again.
      tickets[indexOf(score)] = ticket;
      fill(hole);
      return;
    }
    if (end == scores.length) {
      makeRoom();
    }
    int at = end;
    if (end > front && scores[end - 1] > score) {
      // Ahead of others, as lanes would have it.
      at = -indexOf(score) - 1;
      System.arraycopy(scores, at, scores, at + 1, end - at);
      System.arraycopy(tickets, at, tickets, at + 1, end - at);
    }
    scores[at] = score;
    tickets[at] = ticket;
    end++;
  }

  private void fill(int hole) {
    long[] left = Arrays.copyOf(holes, holes.length - 1);
    System.arraycopy(holes, hole + 1, left, hole, left.length - hole);
    holes = left;
  }

  /** For some more; those who left from the front take none any more. */
  private void makeRoom() {
    int count = end - front;
    int upTo = end + Math.max(64, count / 8);
    scores = Arrays.copyOfRange(scores, front, upTo);
    tickets = Arrays.copyOfRange(tickets, front, upTo);
    front = 0;
    end = count;
  }

  private void remove(long[] gone) {
    long[] all = Arrays.copyOf(holes, holes.length + gone.length);
    System.arraycopy(gone, 0, all, holes.length, gone.length);
    Arrays.sort(all);
    int first = 0;
    while (first < all.length && scores[front] == all[first]) {
      front++;
      first++;
    }
    holes = Arrays.copyOfRange(all, first, all.length);
    if (holes.length > MAX_HOLES) {
      close();
    }
    if (front > scores.length / 2) {
      // Also where nobody joins any more.
      makeRoom();
    }
  }

  private void close() {
    int to = front;
    int hole = 0;
    for (int i = front; i < end; i++) {
      if (hole < holes.length && scores[i] == holes[hole]) {
        hole++;
      } else {
        scores[to] = scores[i];
        tickets[to++] = tickets[i];
      }
    }
    end = to;
    holes = new long[] {};
  }

  /** Who waits where, by tickets. */
  Tickets tickets() {
    List<LaneCount> lanes = line.lanes();
    List<Tickets.Range> ranges =
        lanes.isEmpty()
            ? List.of(range(0))
            : lanes.stream()
                .filter(lane -> !lane.isUnsettled())
                .map(lane -> range(lane.band()))
                .toList();
    return Tickets.of(line, ranges, (band, ticket) -> waitingFrom(from(band), find(band, ticket)));
  }

  /** Which tickets of a block are gone. */
  Tile tile(Tile.Block block) {
    List<Long> waiting = new ArrayList<>();
    int end = find(block.band(), block.upTo());
    for (int i = find(block.band(), block.from()); i < end; i++) {
      if (!isHole(i)) {
        waiting.add(tickets[i]);
      }
    }
    return Tile.of(line.change(), range(block.band()), block, waiting);
  }

  private Tickets.Range range(int band) {
    int first = from(band);
    int last = from(band + 1) - 1;
    while (first <= last && isHole(first)) {
      first++;
    }
    while (last > first && isHole(last)) {
      last--;
    }
    return first > last
        ? Tickets.Range.empty(band)
        : new Tickets.Range(band, tickets[first], tickets[last]);
  }

  /** From which index on scores are of a band, or a later one. */
  private int from(int band) {
    int at = indexOf(band * Score.BAND_MICROS);
    return at < 0 ? -at - 1 : at;
  }

  /** From which index on tickets of a band are as large as one. */
  private int find(int band, long ticket) {
    int at = Arrays.binarySearch(tickets, from(band), from(band + 1), ticket);
    return at < 0 ? -at - 1 : at;
  }

  private boolean isHole(int index) {
    return Arrays.binarySearch(holes, scores[index]) >= 0;
  }

  /** How many wait from one index up to another. */
  private int waitingFrom(int index, int upTo) {
    return upTo - index - (holesBefore(upTo) - holesBefore(index));
  }

  private int holesBefore(int index) {
    if (index == end) {
      return holes.length;
    }
    int at = Arrays.binarySearch(holes, scores[index]);
    return at < 0 ? -at - 1 : at;
  }

  /** What happened since a change. Never waits for somebody who reads the ledger. */
  Moved since(long change) {
    synchronized (moves) {
      return moves.since(change, line);
    }
  }
}
