package io.naru.pass;

import org.jspecify.annotations.Nullable;

/** What came of looking at a token. */
public sealed interface Verification {

  /** A pass that is valid here and now. */
  record Verified(Pass pass) implements Verification {}

  /**
   * No pass.
   *
   * @param passId the id of the pass, if its signature was good: anything else was made up
   */
  record Refused(Reason reason, @Nullable String passId) implements Verification {}
}
