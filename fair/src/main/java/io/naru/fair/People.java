package io.naru.fair;

import java.util.Arrays;

/** Everybody who joined, by number, in the order in which they did: arrays, since they are many. */
final class People {

  /** Where somebody is. */
  static final byte UNSETTLED = 0;

  static final byte WAITING = 1;
  static final byte INSIDE = 2;
  static final byte OVER = 3;

  private static final byte PASSED = 1;
  private static final byte AT_CLOSE = 2;
  private static final byte AT_SEAL = 4;

  private long[] joined = new long[1_024];
  private byte[] leaves = new byte[1_024 * Leaves.LENGTH];
  private byte[] states = new byte[1_024];
  private byte[] flags = new byte[1_024];
  private byte[] lanes = new byte[1_024];
  private byte[] bands = new byte[1_024];
  private int[] places = new int[1_024];
  private long[] until = new long[1_024];
  private int count;

  int count() {
    return count;
  }

  /** Somebody new, later than everybody before. */
  int add(long when, byte[] leaf, int lane) {
    if (count == joined.length) {
      int room = count + (count >> 1);
      joined = Arrays.copyOf(joined, room);
      leaves = Arrays.copyOf(leaves, room * Leaves.LENGTH);
      states = Arrays.copyOf(states, room);
      flags = Arrays.copyOf(flags, room);
      lanes = Arrays.copyOf(lanes, room);
      bands = Arrays.copyOf(bands, room);
      places = Arrays.copyOf(places, room);
      until = Arrays.copyOf(until, room);
    }
    joined[count] = when;
    System.arraycopy(leaf, 0, leaves, count * Leaves.LENGTH, Leaves.LENGTH);
    lanes[count] = (byte) lane;
    return count++;
  }

  /** Whether nobody joined then or later. */
  boolean isLast(long when) {
    return count == 0 || joined[count - 1] < when;
  }

  /** Who joined then; negative if nobody did. */
  int find(long when) {
    return Arrays.binarySearch(joined, 0, count, when);
  }

  long joined(int person) {
    return joined[person];
  }

  boolean hasLeaf(int person, byte[] leaf) {
    int from = person * Leaves.LENGTH;
    return Arrays.equals(leaves, from, from + Leaves.LENGTH, leaf, 0, Leaves.LENGTH);
  }

  byte state(int person) {
    return states[person];
  }

  void become(int person, byte state) {
    states[person] = state;
  }

  int lane(int person) {
    return lanes[person];
  }

  void setLane(int person, int lane) {
    lanes[person] = (byte) lane;
  }

  /** In which line a place is, and which. */
  void setPlace(int person, int band, int place) {
    bands[person] = (byte) band;
    places[person] = place;
  }

  int band(int person) {
    return bands[person];
  }

  int place(int person) {
    return places[person];
  }

  long until(int person) {
    return until[person];
  }

  void setUntil(int person, long when) {
    until[person] = when;
  }

  boolean isPassed(int person) {
    return (flags[person] & PASSED) != 0;
  }

  void setPassed(int person, boolean is) {
    flags[person] = (byte) (is ? flags[person] | PASSED : flags[person] & ~PASSED);
  }

  /** Notes who waits without a place; says how many joined until then, or later. */
  int noteClose(long lastJoined) {
    return note(lastJoined, AT_CLOSE);
  }

  int noteSeal(long lastJoined) {
    return note(lastJoined, AT_SEAL);
  }

  private int note(long lastJoined, byte flag) {
    int noted = 0;
    for (int i = 0; i < count; i++) {
      boolean is = states[i] == UNSETTLED && joined[i] <= lastJoined;
      flags[i] = (byte) (is ? flags[i] | flag : flags[i] & ~flag);
      noted += is ? 1 : 0;
    }
    return noted;
  }

  int unsettled() {
    int number = 0;
    for (int i = 0; i < count; i++) {
      number += states[i] == UNSETTLED ? 1 : 0;
    }
    return number;
  }

  boolean wasAtClose(int person) {
    return (flags[person] & AT_CLOSE) != 0;
  }

  boolean wasAtSeal(int person) {
    return (flags[person] & AT_SEAL) != 0;
  }
}
