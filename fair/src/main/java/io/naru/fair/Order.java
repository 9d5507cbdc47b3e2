package io.naru.fair;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import javax.crypto.Mac;

/**
 * The order of a draw, which anybody can compute who has the list, the seed and the coin:
 *
 * <pre>
 * key          = HMAC(seed, root ‖ coin)
 * number(leaf) = HMAC(key, leaf)
 * order        = by number, the smallest first
 * </pre>
 *
 * The root fixes who is drawn before the coin exists, so nobody can try names until a good one is
 * found; each number is chance of its own, so all orders are equally likely. Within a lane it is
 * the same order.
 *
 * <p>A million people are a million HMACs and one sort: the first bits of a number and the place of
 * its owner in the list are one {@code long}. Whose first bits are the same are compared in full.
 */
public final class Order {

  private final Lobby lobby;

  /** Who has a rank, as places in the list. */
  private final int[] byRank;

  private final int[] ranks;
  private final int[] laneRanks;

  private Order(Lobby lobby, int[] byRank) {
    this.lobby = lobby;
    this.byRank = byRank;
    this.ranks = new int[byRank.length];
    this.laneRanks = new int[byRank.length];
    int[] inLane = new int[Byte.MAX_VALUE + 1];
    for (int rank = 0; rank < byRank.length; rank++) {
      int index = byRank[rank];
      ranks[index] = rank;
      laneRanks[index] = inLane[lobby.lane(index)]++;
    }
  }

  /**
   * What makes numbers of leaves.
   *
   * @param seed whose hash was published beforehand
   * @param root of the list
   * @param coin its randomness, or nothing where there is none
   */
  public static byte[] key(byte[] seed, byte[] root, byte[] coin) {
    Mac mac = Hashes.hmac(seed);
    mac.update(root);
    mac.update(coin);
    return mac.doFinal();
  }

  /** Who stands where. */
  public static Order of(Lobby lobby, byte[] key) {
    int count = lobby.count();
    Mac mac = Hashes.hmac(key);
    // As many bits as places in the list need; the rest is of the number.
    int indexBits = Integer.SIZE - Integer.numberOfLeadingZeros(count);
    long indexMask = (1L << indexBits) - 1;
    long[] sorted = new long[count];
    for (int i = 0; i < count; i++) {
      // Signed, the highest bit would turn the order round.
      sorted[i] = ((Bytes.getLong(number(mac, lobby, i), 0) & ~indexMask) | i) ^ Long.MIN_VALUE;
    }
    Arrays.sort(sorted);
    int[] byRank = new int[count];
    for (int i = 0; i < count; i++) {
      byRank[i] = (int) (sorted[i] & indexMask);
    }
    settleTies(sorted, ~indexMask, byRank, mac, lobby);
    return new Order(lobby, byRank);
  }

  private static void settleTies(
      long[] sorted, long numberMask, int[] byRank, Mac mac, Lobby lobby) {
    int from = 0;
    for (int i = 1; i <= sorted.length; i++) {
      if (i == sorted.length || ((sorted[i] ^ sorted[from]) & numberMask) != 0) {
        if (i - from > 1) {
          sortInFull(byRank, from, i, mac, lobby);
        }
        from = i;
      }
    }
  }

  private static void sortInFull(int[] byRank, int from, int to, Mac mac, Lobby lobby) {
    List<Integer> tied = new ArrayList<>();
    for (int i = from; i < to; i++) {
      tied.add(byRank[i]);
    }
    tied.sort(Comparator.comparing(i -> number(mac, lobby, i), Arrays::compareUnsigned));
    for (int i = from; i < to; i++) {
      byRank[i] = tied.get(i - from);
    }
  }

  private static byte[] number(Mac mac, Lobby lobby, int index) {
    mac.update(lobby.leaves(), index * Leaves.LENGTH, Leaves.LENGTH);
    return mac.doFinal();
  }

  public int count() {
    return byRank.length;
  }

  /** Where in the list the one is who has this rank. */
  int indexAt(int rank) {
    return byRank[rank];
  }

  /** When the one joined who has this rank, 0 for the first. */
  public long joinedAt(int rank) {
    return lobby.joined(byRank[rank]);
  }

  /** The lane of the one who has this rank, as a number in the settings. */
  public int laneAt(int rank) {
    return lobby.lane(byRank[rank]);
  }

  /** How many of all stand before the one who joined then; -1 if they were not drawn. */
  public int rankOf(long joined) {
    int index = lobby.indexOf(joined);
    return index < 0 ? -1 : ranks[index];
  }

  /** How many of the same lane stand before the one who joined then; -1 if they were not drawn. */
  public int rankInLane(long joined) {
    int index = lobby.indexOf(joined);
    return index < 0 ? -1 : laneRanks[index];
  }
}
