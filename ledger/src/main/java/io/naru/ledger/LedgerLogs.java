package io.naru.ledger;

import io.naru.journal.Addition;
import io.naru.journal.Behind;
import io.naru.journal.Bundle;
import io.naru.journal.HashTile;
import io.naru.journal.Journaled;
import io.naru.journal.Log;
import io.naru.journal.LogStore;
import io.naru.queue.QueueId;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The logs of a ledger's queues. A step that appends is one transaction: the log is where it was
 * when it was read, or nothing of it happens.
 */
final class LedgerLogs implements LogStore {

  private final Pool pool;
  private final Dialect dialect;
  private final Background background;
  private final String ledger;
  private final Tables tables;

  LedgerLogs(Pool pool, Dialect dialect, Tables tables, Background background, String ledger) {
    this.pool = pool;
    this.dialect = dialect;
    this.tables = tables;
    this.background = background;
    this.ledger = ledger;
  }

  /** Each statement is a transaction of its own. */
  private interface Question<T> {
    T ask(Connection connection, Rows rows) throws SQLException;
  }

  private <T> T read(Question<T> question) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      return question.ask(connection, new Rows(connection, dialect));
    }
  }

  private <T> T ask(String operation, Question<T> question) {
    try {
      return read(question);
    } catch (SQLException e) {
      throw background.failures().unavailable(operation, e);
    }
  }

  @Override
  public List<Behind> behind(int limit) {
    return ask(
        "look for logs that are behind",
        (connection, rows) -> rows.logs().behind(ledger, () -> dialect.now(connection), limit));
  }

  @Override
  public List<Journaled> journal(Log log, long after, int limit) {
    return ask("read a journal", (_, rows) -> rows.journal().after(log.id(), after, limit));
  }

  @Override
  public boolean append(Log from, Addition addition) {
    return ask(
        "append to a log",
        (connection, rows) -> {
          connection.setAutoCommit(false);
          try {
            boolean isDone = rows.logs().append(from, addition, () -> dialect.now(connection));
            // What a newer server wrote into the journal may be unknown here.
            tables.check(connection);
            if (isDone) {
              connection.commit();
            } else {
              connection.rollback();
            }
            return isDone;
          } catch (SQLException | RuntimeException e) {
            connection.rollback();
            throw e;
          }
        });
  }

  @Override
  public CompletionStage<Optional<Log>> log(QueueId queue) {
    return background.call(
        "find a log",
        () -> read((_, rows) -> rows.logs().find(queue, ledger)).filter(found -> found.size() > 0));
  }

  @Override
  public CompletionStage<Optional<HashTile>> tile(Log log, int level, long number) {
    return background.call(
        "read a tile", () -> read((_, rows) -> rows.logs().tile(log.id(), level, number)));
  }

  @Override
  public CompletionStage<Optional<Bundle>> bundle(Log log, long number) {
    return background.call(
        "read records", () -> read((_, rows) -> rows.logs().bundle(log.id(), number)));
  }

  @Override
  public CompletionStage<Optional<Bundle>> bundleOf(Log log, long joined) {
    return background.call(
        "find a record", () -> read((_, rows) -> rows.logs().bundleOf(log.id(), joined)));
  }
}
