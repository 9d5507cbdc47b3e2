package io.naru.fair;

import java.util.Arrays;
import java.util.TreeSet;

/**
 * Those who wait in one lane, in the order of their scores: since scores only grow, everybody comes
 * to the end. A place is kept as long as its holder waits in it.
 */
final class LaneLine {

  private static final int NOBODY = -1;

  private int[] holders = new int[64];
  private int end;

  /** Before it nobody waits but those who were passed over. */
  private int front;

  private long lastScore = Long.MIN_VALUE;

  /** Places before the front whose holders were passed over and are back. */
  private final TreeSet<Integer> back = new TreeSet<>();

  private final People people;

  LaneLine(People people) {
    this.people = people;
  }

  /** Whether this score is behind all others. */
  boolean isBehind(long score) {
    return score > lastScore;
  }

  /** Somebody comes to the end; says which place that is. */
  int add(int person, long score) {
    if (end == holders.length) {
      holders = Arrays.copyOf(holders, 2 * end);
    }
    lastScore = Math.max(lastScore, score);
    holders[end] = person;
    return end++;
  }

  /** Nobody is at a place any more. */
  void leave(int place) {
    holders[place] = NOBODY;
    back.remove(place);
  }

  /** Another one is at a place. */
  void take(int place, int person) {
    holders[place] = person;
  }

  /** Somebody who was passed over is there again. */
  void back(int place) {
    if (place < front) {
      back.add(place);
    }
  }

  void passed(int place) {
    back.remove(place);
  }

  /** The place of the first who is there; past the end if nobody is. */
  int first() {
    while (front < end && (holders[front] == NOBODY || people.isPassed(holders[front]))) {
      front++;
    }
    return back.isEmpty() ? front : Math.min(front, back.first());
  }

  /** Everybody who waits is there again. */
  void allBack() {
    front = 0;
    back.clear();
  }
}
