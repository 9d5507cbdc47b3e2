package io.naru.server.keys;

import io.naru.pass.PassKey;
import java.time.Instant;

/**
 * A key on its way: made and published ahead of use, in use, retired, forgotten; or revoked.
 *
 * @param key with its private half as long as it may have to sign
 * @param since when it came into this state
 */
public record RingKey(PassKey key, State state, Instant createdAt, Instant since) {

  /** Where a key is on its way. */
  public enum State {
    /** Published, so that every verifier knows it before the first pass is signed with it. */
    NEXT,
    /** Signs. */
    IN_USE,
    /** Signs no more, and is published until the last pass it signed is over. */
    RETIRED,
    /** Nothing it signed counts, and everybody is told so. */
    REVOKED
  }

  static RingKey next(PassKey key, Instant now) {
    return new RingKey(key, State.NEXT, now, now);
  }

  public String id() {
    return key.id();
  }

  RingKey to(State other, Instant now) {
    boolean signs = other == State.NEXT || other == State.IN_USE;
    // What cannot sign any more cannot be stolen any more either.
    return new RingKey(signs ? key : key.publicHalf(), other, createdAt, now);
  }

  boolean is(State other) {
    return state == other;
  }
}
