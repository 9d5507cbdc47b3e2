package io.naru.ledger;

import io.naru.queue.QueueUnavailable;
import io.naru.queue.QueueUnavailable.Kind;
import java.sql.SQLException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;

/** What a failed statement means to whoever needed its answer. */
final class Failures {

  /** The SQL state for "statement completion unknown". */
  static final String UNKNOWN = "40003";

  private final Dialect dialect;

  Failures(Dialect dialect) {
    this.dialect = dialect;
  }

  QueueUnavailable unavailable(String operation, Throwable failure) {
    if (failure instanceof CompletionException && failure.getCause() != null) {
      return unavailable(operation, failure.getCause());
    }
    if (failure instanceof QueueUnavailable known) {
      return known;
    }
    if (failure instanceof TimeoutException) {
      return new QueueUnavailable(
          Kind.TIMEOUT, "the ledger did not " + operation + " in time", failure);
    }
    if (!(failure instanceof SQLException e)) {
      return new QueueUnavailable(
          Kind.REFUSED, "the ledger cannot " + operation + ": " + failure, failure);
    }
    if (e instanceof Tables.Outdated) {
      return new QueueUnavailable(Kind.REFUSED, String.valueOf(e.getMessage()), e);
    }
    if (isUnknown(e) || dialect.isTimeout(e)) {
      return new QueueUnavailable(
          Kind.TIMEOUT, "the ledger did not " + operation + " in time: " + e.getMessage(), e);
    }
    if (dialect.isReadOnly(e)) {
      return new QueueUnavailable(
          Kind.DISCONNECTED,
          "the ledger cannot "
              + operation
              + ": its database is read-only by now (a standby, or a primary that was demoted)",
          e);
    }
    if (dialect.isConnectionLost(e)) {
      return new QueueUnavailable(
          Kind.DISCONNECTED, "no connection to the ledger to " + operation, e);
    }
    return new QueueUnavailable(
        Kind.REFUSED, "the ledger refused to " + operation + ": " + e.getMessage(), e);
  }

  /** Whether the connection is gone, or nobody knows what became of what was asked over it. */
  boolean isInDoubt(SQLException e) {
    return dialect.isConnectionLost(e) || isUnknown(e);
  }

  private static boolean isUnknown(SQLException e) {
    return UNKNOWN.equals(e.getSQLState());
  }

  /** Whether the database is away, or as a whole cannot do its work now. */
  boolean isOfAll(Throwable failure) {
    return failure instanceof Tables.Outdated
        || (failure instanceof SQLException e && (isInDoubt(e) || dialect.isOfAll(e)));
  }
}
