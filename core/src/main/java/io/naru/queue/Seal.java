package io.naru.queue;

import java.util.List;
import java.util.regex.Pattern;

/**
 * The list of all who are drawn, as whoever read it found it.
 *
 * @param commitment of the draw, by which it is known: also another queue of this name has another
 * @param id made up by whoever seals it: under this name its leaves are kept
 * @param root of the tree over all leaves, in hexadecimal digits
 * @param counts how many are in it of each lane, in the order of {@link DrawView#lanes}
 */
public record Seal(String commitment, String id, String root, List<Long> counts) {

  private static final Pattern ID = Pattern.compile("[0-9a-z-]{1,64}");
  private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");

  public Seal {
    if (!ID.matcher(id).matches()) {
      throw new InvalidValue("id", "1..64 of a..z, 0..9 and -", "is something else");
    }
    if (!HASH.matcher(root).matches()) {
      throw new InvalidValue("root", "32 bytes in hexadecimal digits", "is something else");
    }
    counts = List.copyOf(counts);
  }

  /** How many are in it. */
  public long count() {
    return counts.stream().mapToLong(Long::longValue).sum();
  }
}
