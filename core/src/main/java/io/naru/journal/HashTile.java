package io.naru.journal;

/**
 * Up to 256 hashes of a log side by side, at a height of eight levels of its tree each. It grows at
 * its end until it is full, and what is in it never changes.
 *
 * @param level 0 for the hashes of records
 * @param number counted from the left
 * @param hashes of 32 bytes each
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, and nobody changes it
public record HashTile(int level, long number, byte[] hashes) {

  /** How many there are in a full one. */
  public static final int WIDTH = 256;

  public static final int HASH = 32;

  public int width() {
    return hashes.length / HASH;
  }
}
