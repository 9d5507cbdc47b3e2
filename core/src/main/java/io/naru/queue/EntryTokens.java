package io.naru.queue;

import java.util.Optional;

/**
 * Makes and reads entry tokens. A token speaks for itself: it names its entry (queue, user, when
 * joined) and carries a MAC over that, so a status by token needs no look-up table, and every
 * server with the same secret makes the same token for the same entry. It says nothing about the
 * score.
 */
public final class EntryTokens {

  private static final byte VERSION = 1;

  private final SignedEntries entries;

  /**
   * @param secret the same on all servers of a queue
   */
  public EntryTokens(Secret secret) {
    this.entries = new SignedEntries(secret, VERSION);
  }

  public String tokenOf(EntryKey entry) {
    return entries.write(entry);
  }

  /** The entry that a token names; empty if this is not a token of ours. */
  public Optional<EntryKey> read(String token) {
    return entries.read(token, 0).map(SignedEntries.Read::entry);
  }
}
