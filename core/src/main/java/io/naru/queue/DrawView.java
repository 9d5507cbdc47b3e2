package io.naru.queue;

import java.util.List;

/**
 * A draw as anybody may see it. Hashes, seeds and signatures are in hexadecimal digits, and empty
 * as long as there are none, or they are secret; times are 0 until then.
 *
 * @param number counts the draws of a queue; 0 where there is no lobby, but chance all the same
 * @param kind what decides the order; as it was decided, from then on
 * @param drawing how far it is
 * @param commitment SHA-256 of {@code seed}, from the beginning
 * @param windowCommitment SHA-256 of {@code windowSeed}, from the beginning
 * @param closedAt when the lobby was closed
 * @param lanes of those in the lobby then, in the order in which they are listed; of a queue
 *     without lanes, the one with an empty name
 * @param sealedAt when the list was fixed
 * @param sealId under which its leaves are kept
 * @param root of the tree over all leaves
 * @param count how many are drawn
 * @param round of the coin that decides; 0 if none does
 * @param signature of that round
 * @param drawnAt when the order was known
 * @param seed with which it was drawn, from then on
 * @param windowSeed of jitter and windows, from the end of the queue on
 */
public record DrawView(
    int number,
    Fairness.Draw kind,
    Drawing drawing,
    String commitment,
    String windowCommitment,
    long closedAt,
    List<OfLane> lanes,
    long sealedAt,
    String sealId,
    String root,
    long count,
    long round,
    String signature,
    long drawnAt,
    String seed,
    String windowSeed) {

  /**
   * Those of a lane.
   *
   * @param band by which the lane is known, as in {@link LaneCount}
   * @param waiting how many of it were in the lobby when that was closed
   * @param drawn how many of them are in the list; 0 as long as it is not fixed
   */
  public record OfLane(String name, int band, long waiting, long drawn) {}

  public DrawView {
    lanes = List.copyOf(lanes);
  }

  /** Whether the list is fixed. */
  public boolean isSealed() {
    return sealedAt > 0;
  }

  /** Whether the order is known. */
  public boolean isDrawn() {
    return drawnAt > 0;
  }

  /** Whether only the coin is missing. */
  public boolean isWaitingForCoin() {
    return isSealed() && !isDrawn();
  }
}
