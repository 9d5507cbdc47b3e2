package io.naru.queue;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/**
 * Codes with which a place in line is taken along to another device, for some minutes. A code names
 * the entry whose place it is. That entry ends when the place is taken over, so a code works once
 * and nothing is kept of it.
 */
public final class HandoffCodes {

  /** How long a code is good. */
  public static final long LIFE_SECONDS = 300;

  private static final byte VERSION = 2;

  private final SignedEntries entries;
  private final InstantSource clock;

  /**
   * @param secret the same on all servers of a queue
   */
  public HandoffCodes(Secret secret, InstantSource clock) {
    this.entries = new SignedEntries(secret, VERSION);
    this.clock = clock;
  }

  /**
   * @param until when it ends
   */
  public record Code(String text, Instant until) {}

  public Code codeOf(EntryKey entry) {
    long until = clock.instant().getEpochSecond() + LIFE_SECONDS;
    return new Code(entries.write(entry, until), Instant.ofEpochSecond(until));
  }

  /** The entry whose place a code is; empty if it is none of ours, or over. */
  public Optional<EntryKey> read(String code) {
    return entries
        .read(code, 1)
        .filter(read -> clock.instant().getEpochSecond() < read.numbers().getFirst())
        .map(SignedEntries.Read::entry);
  }
}
