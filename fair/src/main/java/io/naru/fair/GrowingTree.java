package io.naru.fair;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A tree with all of its tiles, in memory: 32 bytes a record and a bit. */
final class GrowingTree {

  private final Frontier frontier = new Frontier();
  private final List<List<byte[]>> levels = new ArrayList<>();

  void append(byte[] leafHash) {
    Tiles.append(frontier, leafHash, this::put);
  }

  private void put(int level, long number, int at, byte[] hash) {
    if (level == levels.size()) {
      levels.add(new ArrayList<>());
    }
    List<byte[]> tiles = levels.get(level);
    if (number == tiles.size()) {
      tiles.add(new byte[Tiles.WIDTH * Hashes.LENGTH]);
    }
    System.arraycopy(hash, 0, tiles.get((int) number), at * Hashes.LENGTH, Hashes.LENGTH);
  }

  long size() {
    return frontier.size();
  }

  byte[] root() {
    return frontier.root();
  }

  /** The root that it had with so many records. */
  byte[] root(long size) {
    return Merkle.root(size, Tiles.nodes(size(), (level, number, _) -> tile(level, number)));
  }

  byte[] leafHash(long index) {
    byte[] tile = tile(0, index >> Tiles.HEIGHT);
    int at = (int) (index & (Tiles.WIDTH - 1)) * Hashes.LENGTH;
    return Arrays.copyOfRange(tile, at, at + Hashes.LENGTH);
  }

  private byte[] tile(int level, long number) {
    return levels.get(level).get((int) number);
  }
}
