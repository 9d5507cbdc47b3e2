package io.naru.server.pass;

import io.naru.pass.EndedTurns;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableSet;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The turns of one queue that were over before their pass was, in the order in which they ended, as
 * far as their pass is not over yet. Twenty bytes for each; what is long enough ago is dropped in
 * pieces. One thread at a time.
 */
final class OverTurns {

  /** How many a part has at least before it is cut at the next change. */
  static final int PART = 4_096;

  private static final int PIECE = 8_192;

  private final List<Piece> pieces = new ArrayList<>();

  /** The changes at which parts are cut: whoever asks gets one of these few, or the rest. */
  private final NavigableSet<Long> borders = new TreeSet<>();

  private int size;
  private int sinceBorder;
  private long last;

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
    if (sinceBorder >= PART && change != last) {
      borders.add(last);
      sinceBorder = 0;
    }
    sinceBorder++;
    last = change;
    Piece piece = pieces.isEmpty() ? null : pieces.getLast();
    if (piece == null || piece.size == PIECE) {
      piece = new Piece();
      pieces.add(piece);
    }
    piece.changes[piece.size] = change;
    piece.passes[piece.size] = pass;
    piece.ends[piece.size] = Math.toIntExact(end / EndedTurns.STEP_SECONDS);
    piece.lastEnd = Math.max(piece.lastEnd, piece.ends[piece.size]);
    piece.size++;
    size++;
  }

  /** Adds those that others are later than. */
  void addAll(OverTurns later) {
    for (Piece piece : later.pieces) {
      for (int i = 0; i < piece.size; i++) {
        add(piece.changes[i], piece.passes[i], (long) piece.ends[i] * EndedTurns.STEP_SECONDS);
      }
    }
  }

  /** The last change up to this one at which a part begins. */
  long border(long change) {
    Long found = borders.floor(change);
    return found == null ? 0 : found;
  }

  /** Those after a change whose pass was not over at {@code now}, in seconds; up to a border. */
  Part after(long change, long now) {
    Long border = borders.higher(change);
    long upTo = border == null ? Long.MAX_VALUE : border;
    SortedMap<Long, long[]> passes = new TreeMap<>();
    SortedMap<Long, Integer> sizes = new TreeMap<>();
    for (Piece piece : pieces) {
      if (piece.changes[piece.size - 1] <= change) {
        continue;
      }
      for (int i = piece.after(change); i < piece.size && piece.changes[i] <= upTo; i++) {
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
        }
      }
      if (piece.changes[piece.size - 1] > upTo) {
        break;
      }
    }
    passes.replaceAll((end, ids) -> Arrays.copyOf(ids, sizes.getOrDefault(end, 0)));
    return new Part(passes, upTo, border != null);
  }

  void forget(long now) {
    pieces.removeIf(piece -> (long) piece.lastEnd * EndedTurns.STEP_SECONDS <= now);
    size = pieces.stream().mapToInt(piece -> piece.size).sum();
    borders.headSet(pieces.isEmpty() ? Long.MAX_VALUE : pieces.getFirst().changes[0]).clear();
  }

  int size() {
    return size;
  }
}
