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

  private volatile AtomicLongArray table = new AtomicLongArray(SMALLEST);
  private int size;

  boolean contains(long number) {
    AtomicLongArray current = table;
    int i = placeOf(number, current.length());
    while (true) {
      long there = current.getOpaque(i);
      if (there == number) {
        return true;
      }
      if (there == 0) {
        return false;
      }
      i = i + 1 == current.length() ? 0 : i + 1;
    }
  }

  void add(long number) {
    if (number == 0 || contains(number)) {
      return;
    }
    AtomicLongArray current = table;
    if (size + 1 > current.length() * 0.8) {
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
    return (long) table.length() * Long.BYTES;
  }

  private static AtomicLongArray grown(AtomicLongArray full) {
    var larger = new AtomicLongArray(full.length() + full.length() / 2);
    for (int i = 0; i < full.length(); i++) {
      long number = full.getPlain(i);
      if (number != 0) {
        put(larger, number);
      }
    }
    return larger;
  }

  private static void put(AtomicLongArray into, long number) {
    int i = placeOf(number, into.length());
    while (into.getPlain(i) != 0) {
      i = i + 1 == into.length() ? 0 : i + 1;
    }
    into.setRelease(i, number);
  }

  private static int placeOf(long number, int length) {
    return (int) (((number >>> 32) * length) >>> 32);
  }
}
