package io.naru.server.log;

import io.naru.fair.Frontier;
import io.naru.fair.Merkle;
import io.naru.fair.Tiles;
import io.naru.journal.Bundle;
import io.naru.journal.HashTile;
import io.naru.journal.Log;
import io.naru.journal.LogStore;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The right edge of a log, which is all that one needs to append to it: its tree, and the tiles and
 * records that are not full. Once something in it may not be in the store, it is thrown away and
 * read anew.
 */
final class Edge {

  private static final int MAX_RECORD = 65_535;

  private final Frontier tree;
  private final Map<Integer, OpenTile> tiles = new HashMap<>();
  private final Set<OpenTile> grownTiles = new LinkedHashSet<>();
  private OpenBundle bundle;
  private final Set<OpenBundle> grownBundles = new LinkedHashSet<>();

  /** A tile to which hashes are added. */
  private static final class OpenTile {
    private final int level;
    private final long number;
    private final byte[] hashes = new byte[HashTile.WIDTH * HashTile.HASH];
    private int width;

    OpenTile(int level, long number) {
      this.level = level;
      this.number = number;
    }

    OpenTile(HashTile tile) {
      this(tile.level(), tile.number());
      System.arraycopy(tile.hashes(), 0, hashes, 0, tile.hashes().length);
      width = tile.width();
    }

    HashTile closed() {
      return new HashTile(level, number, Arrays.copyOf(hashes, width * HashTile.HASH));
    }
  }

  /** Records to which others are added. */
  private static final class OpenBundle {
    private final long number;
    private final ByteArrayOutputStream content = new ByteArrayOutputStream(1 << 15);
    private int count;
    private long lastJoined;

    OpenBundle(long number, long lastJoined) {
      this.number = number;
      this.lastJoined = lastJoined;
    }

    Bundle closed() {
      return new Bundle(number, count, lastJoined, content.toByteArray());
    }
  }

  private Edge(Frontier tree, OpenBundle bundle) {
    this.tree = tree;
    this.bundle = bundle;
  }

  /** Reads the edge of a log. Blocks. */
  static Edge read(LogStore store, Log log) {
    long size = log.size();
    long last = size >> Tiles.HEIGHT;
    var open = new OpenBundle(last, lastJoined(store, log, last));
    if (size % Tiles.WIDTH > 0) {
      Bundle kept = StoredTiles.bundle(store, log, last);
      // Somebody may have appended since: then nothing of this will be taken anyway.
      open.count = (int) (size % Tiles.WIDTH);
      open.content.writeBytes(BundleText.first(kept, open.count));
    }
    var stored = new StoredTiles(store, log);
    Merkle.Nodes nodes = Tiles.nodes(size, stored);
    var bytes = new ByteArrayOutputStream();
    for (int height = Long.SIZE - 2; height >= 0; height--) {
      if ((size >> height & 1) == 1) {
        bytes.writeBytes(nodes.hash(height, (size >> height) - 1));
      }
    }
    var edge = new Edge(Frontier.of(size, bytes.toByteArray()), open);
    for (int level = 0; size >> (level * Tiles.HEIGHT) > 0; level++) {
      long number = size >> ((level + 1) * Tiles.HEIGHT);
      int width = Tiles.width(level, number, size);
      if (width > 0) {
        byte[] hashes = stored.tile(level, number, width);
        edge.tiles.put(level, new OpenTile(new HashTile(level, number, hashes)));
      }
    }
    return edge;
  }

  private static long lastJoined(LogStore store, Log log, long last) {
    if (log.size() == 0) {
      return 0;
    }
    boolean isFull = log.size() % Tiles.WIDTH == 0;
    return StoredTiles.bundle(store, log, isFull ? last - 1 : last).lastJoined();
  }

  void append(PublicRecord appended) {
    int length = appended.bytes().length;
    if (length > MAX_RECORD) {
      throw new IllegalStateException("a record of " + length + " bytes cannot be published");
    }
    if (bundle.count == Tiles.WIDTH) {
      bundle = new OpenBundle(bundle.number + 1, bundle.lastJoined);
    }
    bundle.content.write(length >> 8);
    bundle.content.write(length);
    bundle.content.writeBytes(appended.bytes());
    bundle.count++;
    bundle.lastJoined = Math.max(bundle.lastJoined, appended.joined());
    grownBundles.add(bundle);
    Tiles.append(tree, Merkle.leafHash(appended.bytes()), this::put);
  }

  private void put(int level, long number, int at, byte[] hash) {
    OpenTile tile = tiles.get(level);
    if (tile == null || tile.number != number) {
      tile = new OpenTile(level, number);
      tiles.put(level, tile);
    }
    System.arraycopy(hash, 0, tile.hashes, at * HashTile.HASH, HashTile.HASH);
    tile.width = at + 1;
    grownTiles.add(tile);
  }

  long size() {
    return tree.size();
  }

  byte[] root() {
    return tree.root();
  }

  /** Those that grew since they were last asked for. */
  List<HashTile> grownTiles() {
    List<HashTile> grown = new ArrayList<>();
    grownTiles.forEach(tile -> grown.add(tile.closed()));
    grownTiles.clear();
    return grown;
  }

  List<Bundle> grownBundles() {
    List<Bundle> grown = new ArrayList<>();
    grownBundles.forEach(records -> grown.add(records.closed()));
    grownBundles.clear();
    return grown;
  }
}
