package io.naru.ledger;

import io.naru.queue.QueueUnavailable;
import io.naru.queue.QueueUnavailable.Kind;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/** What a failed statement means to whoever needed its answer. */
final class Failures {

  /** The SQL state for "statement completion unknown". */
  static final String UNKNOWN = "40003";

  private static final Set<String> ALL_CLASSES = Set.of("28", "3D", "53", "58");

  private static final Pattern SQLITE_ALL =
      Pattern.compile("SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB)");

  private Failures() {}

  static QueueUnavailable unavailable(String operation, Throwable failure) {
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
    if (isTimeout(e)) {
      return new QueueUnavailable(
          Kind.TIMEOUT, "the ledger did not " + operation + " in time: " + e.getMessage(), e);
    }
    if (isConnectionLost(e)) {
      return new QueueUnavailable(
          Kind.DISCONNECTED, "no connection to the ledger to " + operation, e);
    }
    return new QueueUnavailable(
        Kind.REFUSED, "the ledger refused to " + operation + ": " + e.getMessage(), e);
  }

  /** Whether the connection is gone, so that another one may do better. */
  static boolean isConnectionLost(SQLException e) {
    String state = String.valueOf(e.getSQLState());
    return e instanceof SQLTransientConnectionException
        || state.startsWith("08")
        // The database shuts down, starts up, or ended a session that kept others waiting.
        || state.startsWith("57P")
        || state.equals("25P03");
  }

  /** Whether it may have happened. */
  static boolean isUnknown(SQLException e) {
    return UNKNOWN.equals(e.getSQLState());
  }

  /**
   * Whether the database as a whole cannot do its work now; otherwise the transaction failed for
   * what it was about, and another one may work.
   */
  static boolean isOfAll(Throwable failure) {
    if (!(failure instanceof SQLException e)) {
      return false;
    }
    String state = String.valueOf(e.getSQLState());
    return isConnectionLost(e)
        || isUnknown(e)
        // Read-only; no more connections, memory or disk; its files; who may connect to what.
        || state.equals("25006")
        || ALL_CLASSES.contains(state.substring(0, Math.min(2, state.length())))
        || SQLITE_ALL.matcher(String.valueOf(e.getMessage())).find();
  }

  /** Statement and lock time-outs of PostgreSQL, and a SQLite that stays locked. */
  private static boolean isTimeout(SQLException e) {
    String state = String.valueOf(e.getSQLState());
    return e instanceof SQLTimeoutException
        || isUnknown(e)
        || state.equals("57014")
        || state.equals("55P03")
        || String.valueOf(e.getMessage()).contains("SQLITE_BUSY");
  }
}
