package io.naru.transfer;

import io.naru.queue.InvalidValue;
import java.util.List;
import java.util.regex.Pattern;

/** One step by which a queue comes to a ledger. Each may be sent again. */
public sealed interface RestoreStep {

  /** What was exported, by a hash of all of it: only its own parts belong to it. */
  String id();

  /**
   * The queue itself, of which there is none.
   *
   * @param entries how many will follow
   * @param entropy 32 bytes in hexadecimal digits that nobody can guess: its chance, where that has
   *     a part in it
   */
  record Begin(String id, MovedQueue queue, long entries, String entropy) implements RestoreStep {

    private static final Pattern ENTROPY = Pattern.compile("[0-9a-f]{64}");

    public Begin {
      requireId(id);
      if (!ENTROPY.matcher(entropy).matches()) {
        throw new IllegalArgumentException("entropy is not 32 bytes in hexadecimal digits");
      }
    }
  }

  /**
   * The next of its entries, in the order of {@link MovedEntry#ORDER}.
   *
   * @param from how many came before
   */
  record Part(String id, long from, List<MovedEntry> entries) implements RestoreStep {

    public Part {
      requireId(id);
      entries = List.copyOf(entries);
      if (entries.isEmpty() || entries.size() > Transfers.MAX_PART) {
        throw new InvalidValue(
            "entries", "1.." + Transfers.MAX_PART + " of them", "are " + entries.size());
      }
    }
  }

  /** That was all. */
  record End(String id) implements RestoreStep {

    public End {
      requireId(id);
    }
  }

  private static void requireId(String id) {
    if (!id.matches("[0-9a-f]{64}")) {
      throw new InvalidValue("id", "64 hexadecimal digits", "is not");
    }
  }
}
