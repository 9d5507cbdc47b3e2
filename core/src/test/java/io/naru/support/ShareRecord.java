package io.naru.support;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Who came to which lane, left it and went in from it, one after the other, held against what lanes
 * promise. Of a lane in which somebody waits all the time never more than two are missing of its
 * share, nor are there many too many; nobody goes in later than they were told; and what is told
 * never rises.
 */
public final class ShareRecord {

  private static final double MOST_BEHIND = 2;

  /**
   * No law: a lane that comes right behind a round of the others is ahead by as much as they had
   * then, up to one of each. Random histories rarely come to that: 2.28 was the most in twenty
   * million admissions.
   */
  private static final double MOST_AHEAD = 3;

  private final List<Lane> lanes = new ArrayList<>();
  private long admitted;

  /** Counted while somebody waits in it. */
  private static final class Lane {
    int share;
    long got;

    /** What it should have got, if all lanes had people in them, and with those that had. */
    double least;

    double most;

    /** The same since the last time that a lane came or went. */
    long gotSince;

    double mostSince;
    final List<Told> waiting = new ArrayList<>();
  }

  /** What somebody who waits knows. */
  private static final class Told {
    long atMostBefore = Long.MAX_VALUE;

    /** How many have gone in at the latest when it is their turn. */
    long latest = Long.MAX_VALUE;
  }

  public ShareRecord(int... shares) {
    Arrays.stream(shares).forEach(_ -> lanes.add(new Lane()));
    edited(shares);
  }

  /** From now on lanes have other shares: those count from here, and what was told does not. */
  public void edited(int... shares) {
    for (int i = 0; i < shares.length; i++) {
      Lane lane = lanes.get(i);
      lane.share = shares[i];
      begin(lane);
      lane.waiting.replaceAll(_ -> new Told());
    }
    othersWait();
  }

  private static void begin(Lane lane) {
    lane.got = 0;
    lane.least = 0;
    lane.most = 0;
  }

  /** A lane came or went. */
  private void othersWait() {
    for (Lane lane : lanes) {
      lane.gotSince = 0;
      lane.mostSince = 0;
    }
  }

  public void joined(int number, int many) {
    Lane lane = lanes.get(number);
    if (lane.waiting.isEmpty()) {
      begin(lane);
      othersWait();
    }
    IntStream.range(0, many).forEach(_ -> lane.waiting.add(new Told()));
  }

  /**
   * Somebody is told something.
   *
   * @param ahead how many are before them in their lane
   * @param atMostBefore so many go in before them at most
   */
  public void told(int number, int ahead, long atMostBefore) {
    Told told = lanes.get(number).waiting.get(ahead);
    check(atMostBefore <= told.atMostBefore, "what somebody is told rises");
    told.atMostBefore = atMostBefore;
    told.latest = Math.min(told.latest, admitted + atMostBefore);
  }

  /** Somebody leaves who has so many before them in their lane. */
  public void left(int number, int ahead) {
    remove(lanes.get(number), ahead);
  }

  private Told remove(Lane lane, int ahead) {
    Told told = lane.waiting.remove(ahead);
    if (lane.waiting.isEmpty()) {
      othersWait();
    }
    return told;
  }

  /** The first of a lane goes in. */
  public void admitted(int number) {
    Lane next = lanes.get(number);
    next.got++;
    next.gotSince++;
    double all = 0;
    double present = 0;
    for (Lane lane : lanes) {
      all += lane.share;
      present += lane.waiting.isEmpty() ? 0 : lane.share;
    }
    for (Lane lane : lanes) {
      if (!lane.waiting.isEmpty()) {
        held(lane, all, present);
      }
    }
    check(admitted <= remove(next, 0).latest, "somebody goes in later than they were told");
    admitted++;
  }

  private static void held(Lane lane, double all, double present) {
    lane.least += lane.share / all;
    lane.most += lane.share / present;
    lane.mostSince += lane.share / present;
    check(lane.least - lane.got <= MOST_BEHIND, "a lane is behind its share");
    check(lane.got - lane.most <= MOST_AHEAD, "a lane is ahead of its share");
    check(
        lane.gotSince - lane.mostSince <= MOST_AHEAD,
        "a lane is ahead although nobody came or went");
  }

  /** Asked a million times, for which an assertion is too slow. */
  private static void check(boolean isSo, String otherwise) {
    if (!isSo) {
      throw new AssertionError(otherwise);
    }
  }

  /** How many have gone in. */
  public long admitted() {
    return admitted;
  }

  /** How many wait in a lane. */
  public int waiting(int number) {
    return lanes.get(number).waiting.size();
  }
}
