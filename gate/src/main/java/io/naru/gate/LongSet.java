package io.naru.gate;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Numbers other than 0, packed: an open-addressing table that is between half and 0.8 full, so 10
 * to 16 bytes for each. One thread adds; any number look, without waiting for it: they see a number
 * that is being added or do not, and never half of one.
 *
 * <p>The numbers are taken to be well mixed, as {@code EndedTurns.fingerprint} makes them: their
 * upper half is their place in the table.
 */
final class LongSet {

  private static final int SMALLEST = 16;

  private volatile Table table = new Table(SMALLEST);
  private int size;

  /**
   * One array in pieces. G1 gives an array of more than half a region, which is 512 kB on a small
   * heap, whole regions of its own: 50,000 numbers would take 21 bytes each instead of 13.
   */
  private static final class Table {

    private static final int PIECE_BITS = 15;
    private static final int PIECE = 1 << PIECE_BITS;

    private final AtomicLongArray[] pieces;
    final int length;

    Table(int length) {
      this.length = length;
      pieces = new AtomicLongArray[(length + PIECE - 1) >>> PIECE_BITS];
      for (int i = 0; i < pieces.length; i++) {
        pieces[i] = new AtomicLongArray(Math.min(PIECE, length - i * PIECE));
      }
    }

    long get(int i) {
      return pieces[i >>> PIECE_BITS].getOpaque(i & (PIECE - 1));
    }

    void set(int i, long number) {
      pieces[i >>> PIECE_BITS].setRelease(i & (PIECE - 1), number);
    }

    int longest() {
      return pieces[0].length();
    }
  }

  boolean contains(long number) {
    Table current = table;
    int i = placeOf(number, current.length);
    while (true) {
      long there = current.get(i);
      if (there == number) {
        return true;
      }
      if (there == 0) {
        return false;
      }
      i = i + 1 == current.length ? 0 : i + 1;
    }
  }

  void add(long number) {
    if (number == 0 || contains(number)) {
      return;
    }
    Table current = table;
    if (size + 1 > current.length * 0.8) {
      current = grown(current);
      // From here on it is looked in; until then everybody looked in the one that was.
      table = current;
    }
    put(current, number);
    size++;
  }

  int size() {
    return size;
  }

  /** What it takes in memory, nearly. */
  long bytes() {
    return (long) table.length * Long.BYTES;
  }

  /** The largest that it takes at once. */
  long largestArray() {
    return (long) table.longest() * Long.BYTES;
  }

  private static Table grown(Table full) {
    var larger = new Table(full.length + full.length / 2);
    for (int i = 0; i < full.length; i++) {
      long number = full.get(i);
      if (number != 0) {
        put(larger, number);
      }
    }
    return larger;
  }

  private static void put(Table into, long number) {
    int i = placeOf(number, into.length);
    while (into.get(i) != 0) {
      i = i + 1 == into.length ? 0 : i + 1;
    }
    into.set(i, number);
  }

  private static int placeOf(long number, int length) {
    return (int) (((number >>> 32) * length) >>> 32);
  }
}
