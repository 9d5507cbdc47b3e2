package io.naru.fair;

import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Trees of hashes as RFC 6962 has them: {@code leaf = SHA-256(0x00 ‖ data)}, {@code node =
 * SHA-256(0x01 ‖ left ‖ right)}, and of a tree that is not full the left half is the largest one
 * that is. The root of a tree of nothing is {@code SHA-256()}.
 *
 * <p>A node is named by its height above the leaves and its number at that height; only those are
 * named whose leaves are all there, since they never change again.
 */
public final class Merkle {

  private static final int LENGTH = Hashes.LENGTH;
  private static final byte LEAF = 0;
  private static final byte NODE = 1;

  private static final byte[] EMPTY = Hashes.sha256(new byte[0]);

  /** Where the nodes of a tree are found whose leaves are all there. */
  @FunctionalInterface
  public interface Nodes {
    /** The hash of the {@code number}-th node at a height; 0 is the first, and of leaves. */
    byte[] hash(int height, long number);
  }

  private Merkle() {}

  public static byte[] leafHash(byte[] data) {
    return leafHash(data, 0, data.length);
  }

  static byte[] leafHash(byte[] data, int offset, int length) {
    MessageDigest digest = Hashes.digest();
    digest.update(LEAF);
    digest.update(data, offset, length);
    return digest.digest();
  }

  public static byte[] nodeHash(byte[] left, byte[] right) {
    MessageDigest digest = Hashes.digest();
    digest.update(NODE);
    digest.update(left);
    digest.update(right);
    return digest.digest();
  }

  /** The root of a tree whose leaf hashes stand one behind the other. */
  public static byte[] root(byte[] hashes, int count) {
    var frontier = new Frontier();
    for (int i = 0; i < count; i++) {
      frontier.append(Arrays.copyOfRange(hashes, i * LENGTH, (i + 1) * LENGTH));
    }
    return frontier.root();
  }

  /** The root that a tree had when it had so many leaves. */
  public static byte[] root(long size, Nodes nodes) {
    return size == 0 ? EMPTY.clone() : subtree(0, size, nodes);
  }

  static byte[] emptyRoot() {
    return EMPTY.clone();
  }

  /** The hash over the leaves from one to before another, of which the first begins a node. */
  private static byte[] subtree(long from, long to, Nodes nodes) {
    long count = to - from;
    if (Long.bitCount(count) == 1) {
      int height = Long.numberOfTrailingZeros(count);
      return nodes.hash(height, from >> height);
    }
    long split = from + Long.highestOneBit(count);
    return nodeHash(subtree(from, split, nodes), subtree(split, to, nodes));
  }

  // --- proofs

  /**
   * The hashes that lead from a leaf to the root, the lowest first.
   *
   * @param index of the leaf, 0 for the first
   * @param size of the tree
   */
  public static List<byte[]> inclusion(long index, long size, Nodes nodes) {
    requireLeaf(index, size);
    List<byte[]> path = new ArrayList<>();
    inclusion(index, 0, size, nodes, path);
    return path;
  }

  private static void inclusion(long index, long from, long to, Nodes nodes, List<byte[]> path) {
    if (to - from == 1) {
      return;
    }
    long split = from + split(to - from);
    if (index < split) {
      inclusion(index, from, split, nodes, path);
      path.add(subtree(split, to, nodes));
    } else {
      inclusion(index, split, to, nodes, path);
      path.add(subtree(from, split, nodes));
    }
  }

  /** The largest power of two that is smaller. */
  private static long split(long count) {
    return Long.highestOneBit(count - 1);
  }

  private static void requireLeaf(long index, long size) {
    if (index < 0 || index >= size) {
      throw new IllegalArgumentException("no leaf " + index + " in a tree of " + size);
    }
  }

  /** Whether these hashes lead from a leaf to the root of a tree of this size. */
  public static boolean isIncluded(
      long index, long size, byte[] leafHash, List<byte[]> path, byte[] root) {
    if (index < 0 || index >= size || !areHashes(path)) {
      return false;
    }
    byte[] hash = leafHash;
    long at = index;
    long last = size - 1;
    for (byte[] other : path) {
      if (last == 0) {
        return false;
      }
      if ((at & 1) == 1 || at == last) {
        hash = nodeHash(other, hash);
        // The last one of a height without a neighbour stands for its parent, and so on.
        while ((at & 1) == 0 && at != 0) {
          at >>= 1;
          last >>= 1;
        }
      } else {
        hash = nodeHash(hash, other);
      }
      at >>= 1;
      last >>= 1;
    }
    return last == 0 && MessageDigest.isEqual(hash, root);
  }

  /** The hashes by which a tree shows that it began as a smaller one. */
  public static List<byte[]> consistency(long before, long size, Nodes nodes) {
    if (before < 0 || before > size) {
      throw new IllegalArgumentException("no tree of " + before + " in a tree of " + size);
    }
    List<byte[]> proof = new ArrayList<>();
    if (before > 0 && before < size) {
      consistency(before, 0, size, true, nodes, proof);
    }
    return proof;
  }

  /**
   * @param isKnown whether the smaller tree's root is the hash over these leaves
   */
  private static void consistency(
      long before, long from, long to, boolean isKnown, Nodes nodes, List<byte[]> proof) {
    if (before == to) {
      if (!isKnown) {
        proof.add(subtree(from, to, nodes));
      }
      return;
    }
    long split = from + split(to - from);
    if (before <= split) {
      consistency(before, from, split, isKnown, nodes, proof);
      proof.add(subtree(split, to, nodes));
    } else {
      consistency(before, split, to, false, nodes, proof);
      proof.add(subtree(from, split, nodes));
    }
  }

  /** Whether these hashes show that the tree with one root grew into that with the other. */
  public static boolean isConsistent(
      long before, long size, byte[] rootBefore, byte[] root, List<byte[]> proof) {
    if (before < 0 || before > size || !areHashes(proof)) {
      return false;
    }
    if (before == size || before == 0) {
      boolean isSame = before == 0 || MessageDigest.isEqual(rootBefore, root);
      boolean isEmpty = before > 0 || MessageDigest.isEqual(rootBefore, EMPTY);
      return proof.isEmpty() && isSame && isEmpty;
    }
    // The largest node that both have at their right edge; the first hash, unless it is the root.
    long at = before - 1;
    long last = size - 1;
    while ((at & 1) == 1) {
      at >>= 1;
      last >>= 1;
    }
    int next = at == 0 ? 0 : 1;
    if (proof.size() < next) {
      return false;
    }
    byte[] hashBefore = at == 0 ? rootBefore : proof.getFirst();
    byte[] hash = hashBefore;
    for (; next < proof.size(); next++) {
      if (last == 0) {
        return false;
      }
      byte[] other = proof.get(next);
      if ((at & 1) == 1 || at == last) {
        hashBefore = nodeHash(other, hashBefore);
        hash = nodeHash(other, hash);
        while ((at & 1) == 0 && at != 0) {
          at >>= 1;
          last >>= 1;
        }
      } else {
        hash = nodeHash(hash, other);
      }
      at >>= 1;
      last >>= 1;
    }
    return last == 0
        && MessageDigest.isEqual(hashBefore, rootBefore)
        && MessageDigest.isEqual(hash, root);
  }

  private static boolean areHashes(List<byte[]> hashes) {
    return hashes.size() <= 2 * Long.SIZE && hashes.stream().allMatch(h -> h.length == LENGTH);
  }
}
