package io.naru.e2e.crash;

import org.jspecify.annotations.Nullable;

/** Somebody in the care of a {@link Visitor}: what was last heard of them. */
final class Guest {

  final String user;

  /** The entry as last shown; none until an enter was acknowledged. */
  @Nullable Seen seen;

  /** Whether a leave or a completion was sent of which nothing was heard. */
  boolean isDoubtful;

  /** When somebody last asked for them. */
  long lookedAt = System.nanoTime();

  Guest(String user) {
    this.user = user;
  }
}
