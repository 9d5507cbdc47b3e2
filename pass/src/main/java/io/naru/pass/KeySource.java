package io.naru.pass;

import org.jspecify.annotations.Nullable;

/**
 * The keys that are trusted, and what of theirs no longer is. Called for every token, also for one
 * that was good before.
 */
public interface KeySource {

  /** Whether anything can be judged at all; false refuses everything. */
  default boolean ready() {
    return true;
  }

  /** The key of this id, if it is published. The id may be anything that somebody sent. */
  @Nullable PassKey find(String keyId);

  /** Whether nothing that this key signed counts any more. */
  boolean keyRevoked(String keyId);

  /** Whether this pass does not count any more. */
  boolean passRevoked(String passId);

  /** What else speaks against a pass that is good in itself; null if nothing does. */
  default @Nullable Reason refusal(Pass pass) {
    return null;
  }
}
