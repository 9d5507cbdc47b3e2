package io.naru.server.pass;

import io.naru.pass.EndedTurns;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The turns of one queue that were over before their pass was, in the order in which they ended, as
 * far as their pass is not over yet. Twenty bytes for each; what is long enough ago is dropped in
 * pieces. One thread at a time.
 */
final class OverTurns {

  /** How many a part has before it is cut at the next change. */
  static final int PART = 4_096;

  private static final int PIECE = 8_192;

  private final List<Piece> pieces = new ArrayList<>();
  private int size;

  /** Some of them, in order. */
  private static final class Piece {
    final long[] changes = new long[PIECE];
    final long[] passes = new long[PIECE];
    final int[] ends = new int[PIECE];
    int size;
    int lastEnd;

    /** The first one after a change; {@link #size} if there is none. */
    int after(long change) {
      int found = Arrays.binarySearch(changes, 0, size, change + 1);
      int i = found < 0 ? -1 - found : found;
      // Several may be of the same change, and the search finds any of them.
      while (i > 0 && changes[i - 1] > change) {
        i--;
      }
      return i;
    }
  }

  /**
   * Some of them.
   *
   * @param to the change up to which these are all there are; meaningless if none was left out
   */
  record Part(SortedMap<Long, long[]> passes, long to, boolean isCut) {}

  /**
   * @param end by when the pass is over, in seconds: {@link EndedTurns#endOf}
   */
  void add(long change, long pass, long end) {
    Piece last = pieces.isEmpty() ? null : pieces.getLast();
    if (last == null || last.size == PIECE) {
      last = new Piece();
      pieces.add(last);
    }
    last.changes[last.size] = change;
    last.passes[last.size] = pass;
    last.ends[last.size] = Math.toIntExact(end / EndedTurns.STEP_SECONDS);
    last.lastEnd = Math.max(last.lastEnd, last.ends[last.size]);
    last.size++;
    size++;
  }

  /** Those after a change whose pass was not over at {@code now}, in seconds; some of them. */
  Part after(long change, long now) {
    SortedMap<Long, long[]> passes = new TreeMap<>();
    SortedMap<Long, Integer> sizes = new TreeMap<>();
    int count = 0;
    long to = change;
    for (Piece piece : pieces) {
      if (piece.changes[piece.size - 1] <= change) {
        continue;
      }
      for (int i = piece.after(change); i < piece.size; i++) {
        if (count >= PART && piece.changes[i] != to) {
          passes.replaceAll((end, ids) -> Arrays.copyOf(ids, sizes.getOrDefault(end, 0)));
          return new Part(passes, to, true);
        }
        to = piece.changes[i];
        long end = (long) piece.ends[i] * EndedTurns.STEP_SECONDS;
        if (end > now) {
          int size = sizes.getOrDefault(end, 0);
          long[] ids = passes.getOrDefault(end, new long[8]);
          if (size == ids.length) {
            ids = Arrays.copyOf(ids, 2 * size);
          }
          ids[size] = piece.passes[i];
          passes.put(end, ids);
          sizes.put(end, size + 1);
          count++;
        }
      }
    }
    passes.replaceAll((end, ids) -> Arrays.copyOf(ids, sizes.getOrDefault(end, 0)));
    return new Part(passes, to, false);
  }

  void forget(long now) {
    pieces.removeIf(piece -> (long) piece.lastEnd * EndedTurns.STEP_SECONDS <= now);
    size = pieces.stream().mapToInt(piece -> piece.size).sum();
  }

  void clear() {
    pieces.clear();
    size = 0;
  }

  int size() {
    return size;
  }
}
