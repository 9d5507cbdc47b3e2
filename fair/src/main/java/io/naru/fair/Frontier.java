package io.naru.fair;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/**
 * The right edge of a growing tree: all that is needed to append to it and to know its root. It has
 * one hash for each bit that is set in the size, at most 63 of them.
 */
public final class Frontier {

  /** Told of every node that is complete, in the order in which they are. */
  @FunctionalInterface
  public interface Grown {
    void node(int height, long number, byte[] hash);
  }

  private static final int LENGTH = Hashes.LENGTH;

  /** By height; what is at a height whose bit is not set in the size means nothing. */
  private final byte[][] edge = new byte[Long.SIZE][];

  private long size;

  /** Of a tree with nothing in it. */
  public Frontier() {}

  /**
   * The inverse of {@link #bytes()}.
   *
   * @throws IllegalArgumentException if these are not the edge of a tree of this size
   */
  public static Frontier of(long size, byte[] bytes) {
    if (size < 0 || bytes.length != Long.bitCount(size) * LENGTH) {
      throw new IllegalArgumentException(
          bytes.length + " bytes are not the edge of a tree of " + size);
    }
    var frontier = new Frontier();
    frontier.size = size;
    int at = 0;
    for (int height = Long.SIZE - 1; height >= 0; height--) {
      if ((size >> height & 1) == 1) {
        frontier.edge[height] = Arrays.copyOfRange(bytes, at, at + LENGTH);
        at += LENGTH;
      }
    }
    return frontier;
  }

  /** The hashes of the edge, that of the largest node first. */
  public byte[] bytes() {
    var bytes = new ByteArrayOutputStream(Long.bitCount(size) * LENGTH);
    for (int height = Long.SIZE - 1; height >= 0; height--) {
      if ((size >> height & 1) == 1) {
        bytes.writeBytes(edge[height]);
      }
    }
    return bytes.toByteArray();
  }

  public long size() {
    return size;
  }

  public void append(byte[] leafHash) {
    append(leafHash, (_, _, _) -> {});
  }

  public void append(byte[] leafHash, Grown grown) {
    byte[] hash = leafHash;
    int height = 0;
    grown.node(0, size, hash);
    for (; (size >> height & 1) == 1; height++) {
      hash = Merkle.nodeHash(edge[height], hash);
      grown.node(height + 1, size >> (height + 1), hash);
    }
    edge[height] = hash;
    size++;
  }

  public byte[] root() {
    if (size == 0) {
      return Merkle.emptyRoot();
    }
    int height = Long.numberOfTrailingZeros(size);
    byte[] hash = edge[height];
    for (height++; height < Long.SIZE; height++) {
      if ((size >> height & 1) == 1) {
        hash = Merkle.nodeHash(edge[height], hash);
      }
    }
    return hash.clone();
  }
}
