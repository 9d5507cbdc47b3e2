package io.naru.fair;

import java.util.Arrays;
import java.util.regex.Pattern;

/**
 * A tree in pieces that never change, as C2SP's tlog-tiles cuts it: a tile has up to 256 hashes of
 * one height (0, 8, 16, …), one behind the other. The last one of a level is not full; it has a
 * name of its own for each width, so it never changes either.
 *
 * <pre>
 * tile/0/x001/234        256 leaf hashes, the 1,234th tile of them (from 0)
 * tile/1/000.p/7         7 hashes of height 8
 * tile/entries/000       256 records, each behind its length in two bytes
 * </pre>
 */
public final class Tiles {

  /** How many levels of the tree a tile stands for. */
  public static final int HEIGHT = 8;

  /** How many hashes a full tile has, and how many records. */
  public static final int WIDTH = 1 << HEIGHT;

  private static final Pattern NUMBER = Pattern.compile("(?:x[0-9]{3}/){0,6}[0-9]{3}");

  /** Told which hash goes where. */
  @FunctionalInterface
  public interface Into {
    /**
     * @param level of the tile, 0 for leaf hashes
     * @param number of the tile at its level
     * @param at where in the tile, 0..255; the hash before it is there already
     */
    void put(int level, long number, int at, byte[] hash);
  }

  /** Where tiles are found. */
  @FunctionalInterface
  public interface Source {
    /**
     * @param width how many hashes it has at least
     */
    byte[] tile(int level, long number, int width);
  }

  private Tiles() {}

  /** Appends a leaf, and tells what comes into which tiles. */
  public static void append(Frontier tree, byte[] leafHash, Into tiles) {
    tree.append(
        leafHash,
        (height, number, hash) -> {
          if (height % HEIGHT == 0) {
            tiles.put(height / HEIGHT, number >> HEIGHT, (int) (number & (WIDTH - 1)), hash);
          }
        });
  }

  /** How many hashes the tile of this number has in a tree of this size; 0 if there is none. */
  public static int width(int level, long number, long size) {
    if (level < 0 || level * HEIGHT >= Long.SIZE || number < 0) {
      return 0;
    }
    long hashes = size >> (level * HEIGHT);
    return Math.clamp(hashes - (number << HEIGHT), 0, WIDTH);
  }

  /** The nodes of a tree of this size, found in its tiles. */
  public static Merkle.Nodes nodes(long size, Source tiles) {
    return (height, number) -> {
      int level = height / HEIGHT;
      int above = height % HEIGHT;
      long first = number << above;
      long tile = first >> HEIGHT;
      int from = (int) (first & (WIDTH - 1));
      int count = 1 << above;
      int width = width(level, tile, size);
      byte[] hashes = tiles.tile(level, tile, width);
      if (hashes.length < (from + count) * Hashes.LENGTH) {
        throw new IllegalArgumentException(
            "tile " + path(level, tile, width) + " has " + hashes.length + " bytes");
      }
      byte[] own = Arrays.copyOfRange(hashes, from * Hashes.LENGTH, (from + count) * Hashes.LENGTH);
      return Merkle.root(own, count);
    };
  }

  /** Behind {@code tile/}: {@code 0/x001/234}, or {@code 0/x001/234.p/7} if it is not full. */
  public static String path(int level, long number, int width) {
    return level + "/" + name(number, width);
  }

  /** The same of records: {@code entries/x001/234}. */
  public static String entriesPath(long number, int width) {
    return "entries/" + name(number, width);
  }

  private static String name(long number, int width) {
    return number(number) + (width < WIDTH ? ".p/" + width : "");
  }

  /** In groups of three digits, all but the last behind an x. */
  public static String number(long number) {
    String digits = Long.toString(number);
    digits = "0".repeat(Math.floorMod(-digits.length(), 3)) + digits;
    var spelled = new StringBuilder();
    for (int at = 0; at < digits.length(); at += 3) {
      boolean isLast = at + 3 == digits.length();
      spelled.append(isLast ? "" : "x").append(digits, at, at + 3).append(isLast ? "" : "/");
    }
    return spelled.toString();
  }

  /** The inverse of {@link #number(long)}; -1 if it is no such number. */
  public static long ofNumber(String spelled) {
    if (!NUMBER.matcher(spelled).matches()) {
      return -1;
    }
    String digits = spelled.replace("x", "").replace("/", "");
    if (digits.length() > 18) {
      return -1;
    }
    long number = Long.parseLong(digits);
    // One number, one name.
    return number(number).equals(spelled) ? number : -1;
  }
}
