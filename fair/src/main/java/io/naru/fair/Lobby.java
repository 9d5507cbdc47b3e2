package io.naru.fair;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The list of those who are drawn, as it is sealed: in the order of lanes, and within a lane by
 * when they joined. In arrays, since it may be a million of them.
 *
 * <p>In parts, as it is stored and published: per person {@code joined} (8 bytes, the highest
 * first), the number of the lane in the seal (1 byte) and the leaf (32 bytes).
 */
public final class Lobby {

  /** How many people are in a part; in the last one, fewer. */
  public static final int PART = 4_096;

  /** Of one person in a part, in bytes. */
  public static final int PERSON = Long.BYTES + 1 + Leaves.LENGTH;

  /** As many as arrays of leaves can hold, rounded down. */
  public static final int MOST = 60_000_000;

  private long[] joined;
  private byte[] lanes;
  private byte[] leaves;
  private int count;

  /** Nobody yet. */
  public Lobby() {
    this(1_024);
  }

  /**
   * @param expected so many, perhaps more
   */
  public Lobby(int expected) {
    int room = Math.clamp(expected, 16, MOST);
    this.joined = new long[room];
    this.lanes = new byte[room];
    this.leaves = new byte[room * Leaves.LENGTH];
  }

  /**
   * Adds one, who comes behind the others: by lane, then by when they joined.
   *
   * @param lane its number in the seal, from 0
   */
  public void add(long joined, int lane, byte[] leaf) {
    add(joined, lane, leaf, 0);
  }

  private void add(long when, int lane, byte[] leaf, int offset) {
    if (lane < 0 || lane > Byte.MAX_VALUE) {
      throw new IllegalArgumentException("no lane " + lane);
    }
    if (count > 0 && !isBehind(lanes[count - 1], joined[count - 1], lane, when)) {
      throw new IllegalArgumentException(
          "person " + count + " of the list, who joined at " + when + ", is out of its order");
    }
    if (count == joined.length) {
      int room = Math.min(MOST, count + count / 2);
      if (room == count) {
        throw new IllegalArgumentException("more than " + MOST + " people");
      }
      joined = Arrays.copyOf(joined, room);
      lanes = Arrays.copyOf(lanes, room);
      leaves = Arrays.copyOf(leaves, room * Leaves.LENGTH);
    }
    joined[count] = when;
    lanes[count] = (byte) lane;
    System.arraycopy(leaf, offset, leaves, count * Leaves.LENGTH, Leaves.LENGTH);
    count++;
  }

  private static boolean isBehind(int lane, long joined, int nextLane, long nextJoined) {
    return nextLane > lane || (nextLane == lane && nextJoined > joined);
  }

  /**
   * Adds those of a part.
   *
   * @throws IllegalArgumentException if it is no part, or not the next one
   */
  public void add(byte[] part) {
    if (part.length == 0 || part.length % PERSON != 0 || part.length > PART * PERSON) {
      throw new IllegalArgumentException("a part of the list has " + part.length + " bytes");
    }
    ByteBuffer bytes = ByteBuffer.wrap(part);
    for (int at = 0; at < part.length; at += PERSON) {
      add(bytes.getLong(at), bytes.get(at + Long.BYTES), part, at + Long.BYTES + 1);
    }
  }

  public int parts() {
    return Math.ceilDiv(count, PART);
  }

  public byte[] part(int number) {
    int from = number * PART;
    int to = Math.min(count, from + PART);
    ByteBuffer part = ByteBuffer.allocate((to - from) * PERSON);
    for (int i = from; i < to; i++) {
      part.putLong(joined[i]).put(lanes[i]);
      part.put(leaves, i * Leaves.LENGTH, Leaves.LENGTH);
    }
    return part.array();
  }

  public int count() {
    return count;
  }

  public long joined(int index) {
    return joined[index];
  }

  public int lane(int index) {
    return lanes[index];
  }

  public byte[] leaf(int index) {
    return Arrays.copyOfRange(leaves, index * Leaves.LENGTH, (index + 1) * Leaves.LENGTH);
  }

  /** All leaves, one behind the other, and perhaps room behind them. */
  byte[] leaves() {
    return leaves;
  }

  /** How many are in a lane. */
  public int count(int lane) {
    return end(lane) - start(lane);
  }

  private int start(int lane) {
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (lanes[middle] < lane) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private int end(int lane) {
    return start(lane + 1);
  }

  /** Where in the list the one is who joined then; -1 if nobody is. */
  public int indexOf(long when) {
    int from = 0;
    while (from < count) {
      int to = end(lanes[from]);
      int found = Arrays.binarySearch(joined, from, to, when);
      if (found >= 0) {
        return found;
      }
      from = to;
    }
    return -1;
  }

  /** What is published when the list is closed: nobody can change it after that. */
  public byte[] root() {
    return Merkle.root(leaves, count);
  }
}
