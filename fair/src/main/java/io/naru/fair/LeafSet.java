package io.naru.fair;

/** Leaves that have been there, by their first 8 bytes: two that are alike are the same. */
final class LeafSet {

  private long[] table = new long[1 << 12];
  private int count;

  /** Whether it is a new one. */
  boolean add(byte[] leaf) {
    // 0 is an empty slot; one leaf in 2^64 is taken for another.
    long key = Bytes.getLong(leaf, 0) | 1;
    if (3 * count > 2 * table.length) {
      grow();
    }
    return put(key);
  }

  private boolean put(long key) {
    int mask = table.length - 1;
    int at = (int) (key >>> 32) & mask;
    while (table[at] != 0) {
      if (table[at] == key) {
        return false;
      }
      at = at + 1 & mask;
    }
    table[at] = key;
    count++;
    return true;
  }

  private void grow() {
    long[] before = table;
    table = new long[2 * before.length];
    count = 0;
    for (long key : before) {
      if (key != 0) {
        put(key);
      }
    }
  }
}
