package io.naru.e2e.crash;

import org.jspecify.annotations.Nullable;

/**
 * One request and what came of it.
 *
 * @param meant the entry that a leave, a completion or a return is about, by when it joined; the
 *     version of an {@link Act#STOCK}; else 0
 * @param server its name
 * @param asked before the request was sent, {@code answered} after its answer had come or was given
 *     up: microseconds since 2026, on a clock that never steps
 * @param code of the answer, 0 if there was none
 * @param problem the code within a refusal, empty if there is none
 * @param seen the entry that was shown
 * @param count how many were admitted, or at most, of a {@link Act#PROCESS}; how many may be inside
 *     by an {@link Act#STOCK}
 */
record Call(
    Act act,
    String user,
    long meant,
    String server,
    long asked,
    long answered,
    Outcome outcome,
    int code,
    String problem,
    @Nullable Seen seen,
    int count) {

  /** What is asked for. */
  enum Act {
    ENTER,
    STATUS,
    LEAVE,
    COMPLETE,
    /** Comes back after a payment that failed, for another try. */
    RETRY,
    /** Comes back for good: that turn is over, and another entry takes its place. */
    RETURN,
    PROCESS,
    /** Says what there is. */
    STOCK
  }

  /** What the caller knows afterwards. */
  enum Outcome {
    /** It has happened. */
    OK,
    /** It has not happened, and will not. */
    REFUSED,
    /** No answer, or one that says that the server does not know either. */
    UNKNOWN
  }

  boolean isOk() {
    return outcome == Outcome.OK;
  }

  /** Whether it may have ended an entry, by leaving, completing or coming back. */
  boolean mayEnd() {
    return (act == Act.LEAVE || act == Act.COMPLETE || act == Act.RETURN)
        && outcome != Outcome.REFUSED;
  }

  @Override
  public String toString() {
    return "%s of %s at %s, asked %d, answered %d: %s %d%s"
        .formatted(
            act,
            user,
            server,
            asked,
            answered,
            outcome,
            code,
            seen == null ? " " + problem : " " + seen);
  }
}
