package io.naru.ledger;

import io.naru.journal.Feed;
import io.naru.journal.Unread;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What happens in a ledger's queues, for systems behind. */
final class LedgerFeed implements Feed {

  private static final Logger log = LoggerFactory.getLogger(LedgerFeed.class);

  private final Pool pool;
  private final Dialect dialect;
  private final Background background;
  private final String ledger;
  private volatile boolean hasReaders;

  LedgerFeed(Pool pool, Dialect dialect, Background background, String ledger) {
    this.pool = pool;
    this.dialect = dialect;
    this.background = background;
    this.ledger = ledger;
  }

  private interface Question<T> {
    T ask(Connection connection, EventRows rows) throws SQLException;
  }

  /** Each statement is a transaction of its own. */
  private <T> T read(Question<T> question) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      return question.ask(connection, new Rows(connection, dialect).events());
    }
  }

  private <T> T ask(String operation, Question<T> question) {
    try {
      return read(question);
    } catch (SQLException e) {
      throw background.failures().unavailable(operation, e);
    }
  }

  private <T> T together(String operation, Question<T> question) {
    return ask(
        operation,
        (connection, rows) -> {
          connection.setAutoCommit(false);
          try {
            T done = question.ask(connection, rows);
            connection.commit();
            return done;
          } catch (SQLException | RuntimeException e) {
            connection.rollback();
            throw e;
          }
        });
  }

  /** Whether anybody reads, as far as it is known here. */
  boolean hasReaders() {
    return hasReaders;
  }

  /** Looks who reads; if that fails, it is as before. */
  synchronized void look() {
    try {
      hasReaders = !read((_, rows) -> rows.readers()).isEmpty();
    } catch (SQLException e) {
      log.debug("who reads is not known now", e);
    }
  }

  /** Not while somebody looks, who may have seen what was before. */
  @Override
  public synchronized void listen(String reader) {
    long now = ask("look at the clock", (connection, _) -> dialect.now(connection));
    together(
        "note who reads events",
        (_, rows) -> {
          rows.listen(reader, now);
          return true;
        });
    hasReaders = true;
  }

  @Override
  public void end(String reader) {
    together(
        "note who reads no more events",
        (_, rows) -> {
          rows.end(reader);
          return true;
        });
    look();
  }

  @Override
  public Set<String> readers() {
    return Set.copyOf(ask("look who reads events", (_, rows) -> rows.readers()));
  }

  @Override
  public List<Unread> unread(String reader, int limit) {
    return ask(
        "look for events that are not read",
        (connection, rows) -> rows.unread(reader, ledger, () -> dialect.now(connection), limit));
  }

  @Override
  public Stretch happened(String reader, Unread of, long after, int limit) {
    return ask("read events", (_, rows) -> rows.after(reader, of.id(), after, limit));
  }

  @Override
  public boolean hold(String work, String server, Duration time) {
    return ask(
        "see who does the work of a reader",
        (connection, rows) ->
            rows.hold(work, server, dialect.now(connection), time.toNanos() / 1_000));
  }

  @Override
  public void letGo(String work, String server) {
    ask(
        "leave the work of a reader to others",
        (_, rows) -> {
          rows.letGo(work, server);
          return true;
        });
  }

  @Override
  public Set<Unread> advance(String reader, Map<Unread, Long> to) {
    // All servers in this order, so that they never wait for each other in a circle.
    List<Unread> sorted =
        to.keySet().stream().sorted(Comparator.comparingLong(Unread::id)).toList();
    return together(
        "note what was read of events",
        (_, rows) -> {
          Set<Unread> advanced = new LinkedHashSet<>();
          for (Unread from : sorted) {
            if (rows.advance(reader, from, to.getOrDefault(from, from.cursor()))) {
              advanced.add(from);
            }
          }
          return advanced;
        });
  }
}
