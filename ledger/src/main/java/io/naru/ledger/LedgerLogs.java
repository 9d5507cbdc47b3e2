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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
  private final Asides.Kind<QueueId, Log> logs;
  private final Asides.Kind<Part, HashTile> tiles;
  private final Asides.Kind<Part, Bundle> bundles;
  private final Asides.Kind<Part, Bundle> bundlesOf;

  /** Of a log: which tile, which bundle, or the one with whom. */
  private record Part(long log, int level, long number) {}

  LedgerLogs(
      Pool pool,
      Dialect dialect,
      Tables tables,
      Background background,
      Asides asides,
      String ledger) {
    this.pool = pool;
    this.dialect = dialect;
    this.tables = tables;
    this.background = background;
    this.ledger = ledger;
    this.logs =
        asides.kind(
            "log",
            "find a log",
            some -> each(some, (rows, queue) -> rows.logs().find(queue, ledger)));
    this.tiles =
        asides.kind(
            "log-tile",
            "read a tile",
            some ->
                each(some, (rows, tile) -> rows.logs().tile(tile.log, tile.level, tile.number)));
    this.bundles =
        asides.kind(
            "log-records",
            "read records",
            some -> each(some, (rows, part) -> rows.logs().bundle(part.log, part.number)));
    this.bundlesOf =
        asides.kind(
            "log-record",
            "find a record",
            some -> each(some, (rows, part) -> rows.logs().bundleOf(part.log, part.number)));
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

  /** Something that anybody may ask for. */
  private interface Finding<Q, A> {
    Optional<A> find(Rows rows, Q asked) throws SQLException;
  }

  private <Q, A> Map<Q, A> each(List<Q> some, Finding<Q, A> finding) throws SQLException {
    return read(
        (_, rows) -> {
          Map<Q, A> found = new HashMap<>();
          for (Q asked : some) {
            finding.find(rows, asked).ifPresent(answer -> found.put(asked, answer));
          }
          return found;
        });
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
    return logs.find(queue).thenApply(found -> found.filter(log -> log.size() > 0));
  }

  @Override
  public CompletionStage<Optional<HashTile>> tile(Log log, int level, long number) {
    return tiles.find(new Part(log.id(), level, number));
  }

  @Override
  public CompletionStage<Optional<Bundle>> bundle(Log log, long number) {
    return bundles.find(new Part(log.id(), 0, number));
  }

  @Override
  public CompletionStage<Optional<Bundle>> bundleOf(Log log, long joined) {
    return bundlesOf.find(new Part(log.id(), 0, joined));
  }
}
