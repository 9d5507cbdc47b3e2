package io.naru.ledger;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the tables are still those that this server knows. While it runs, a newer Naru may be
 * started on the same ledger, and the rules by which queues are decided may be others from then on.
 * So every transaction reads, together with the lock of its queue, how many migrations there were;
 * if that is news, which version they made. A server that is outdated says so, and neither decides
 * nor writes anything any more: nothing is lost, the newer one goes on with it.
 */
final class Tables {

  private static final Logger log = LoggerFactory.getLogger(Tables.class);

  /** As a column of another question: how many migrations there were. */
  static final String RANK = "(SELECT MAX(installed_rank) FROM " + Schema.HISTORY + ")";

  private static final long UNKNOWN = -1;

  private final Consumer<Outdated> listener;

  /** With which the version was looked up last. */
  private volatile long known = UNKNOWN;

  private volatile @Nullable Outdated outdated;

  /** The tables are of a later version than this server knows. */
  static final class Outdated extends SQLException {
    private static final long serialVersionUID = 1;

    Outdated(String message) {
      super(message);
    }

    /** For another one who asks. */
    Outdated again() {
      return new Outdated(String.valueOf(getMessage()));
    }
  }

  /**
   * @param listener told once, when this server is outdated
   */
  Tables(Consumer<Outdated> listener) {
    this.listener = listener;
  }

  /** Why nothing is decided here any more, or null. */
  @Nullable Outdated outdated() {
    return outdated;
  }

  void check(Connection connection) throws SQLException {
    try (PreparedStatement select = connection.prepareStatement("SELECT " + RANK);
        ResultSet result = select.executeQuery()) {
      result.next();
      check(result.getLong(1), connection);
    }
  }

  /**
   * @param rank was read over this connection a moment ago
   */
  void check(long rank, Connection connection) throws SQLException {
    if (outdated == null && rank != known) {
      int version = Schema.version(connection);
      if (version <= Schema.VERSION) {
        known = rank;
      } else {
        become(version);
      }
    }
    Outdated why = outdated;
    if (why != null) {
      throw why.again();
    }
  }

  private synchronized void become(int version) {
    if (outdated != null) {
      return;
    }
    var now =
        new Outdated(
            "a newer Naru made the tables of version "
                + version
                + ", this one knows up to "
                + Schema.VERSION
                + ": nothing is decided here any more. Stop this server; the newer one goes on");
    outdated = now;
    log.error("{}", now.getMessage());
    listener.accept(now);
  }
}
