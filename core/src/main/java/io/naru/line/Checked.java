package io.naru.line;

/**
 * What a comparison of a copy with its ledger came to.
 *
 * @param entries how many were compared
 * @param differences how many of them were not in the copy as in the ledger
 * @param repaired how many of those are by now
 * @param change at which the ledger was read last
 * @param next where to go on; empty if that was all
 */
public record Checked(long entries, long differences, long repaired, long change, String next) {

  public static final String NEXT_ALLOWED = "(waiting|inside)(:-?[0-9]{1,18})?";
}
