package io.naru.queue;

import java.util.Locale;

/** Why an entry ended, where that was neither its visitor's doing nor its time being up. */
public enum EndReason {
  NONE,
  /** An operator took it out. */
  REMOVED,
  /** An operator revoked its pass. */
  REVOKED,
  /**
   * Its visitor came back after a failed payment: of somebody inside, is going to; of a place in
   * line that such a one had, waited in vain.
   */
  RETURNED,
  /** Its visitor took the place along to another device. */
  HANDOFF,
  /** Its visitor was not there when their turn came, and did not come in time. */
  ABSENT,
  /** Its visitor owed a proof when their turn came, and did not bring it in time. */
  UNPROVEN;

  /** Whether an operator did it. */
  public boolean isOperators() {
    return this == REMOVED || this == REVOKED;
  }

  /** As it is kept and shown; empty for none. */
  public String text() {
    return this == NONE ? "" : name().toLowerCase(Locale.ROOT);
  }

  public static EndReason of(String text) {
    return text.isEmpty() ? NONE : valueOf(text.toUpperCase(Locale.ROOT));
  }
}
