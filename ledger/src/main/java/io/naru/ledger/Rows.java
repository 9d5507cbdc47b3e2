package io.naru.ledger;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;

/**
 * The way to the tables, over one connection: all SQL on them is behind these doors, each of which
 * is about one thing. What differs between databases is in {@link Dialect}.
 */
final class Rows {

  private final Statements statements;
  private final Dialect dialect;

  Rows(Connection connection, Dialect dialect) {
    this(Statements.of(connection), dialect);
  }

  Rows(Statements statements, Dialect dialect) {
    this.statements = statements;
    this.dialect = dialect;
  }

  QueueRows queues() {
    return new QueueRows(this);
  }

  QueueLists lists() {
    return new QueueLists(this);
  }

  EntryRows entries() {
    return new EntryRows(this);
  }

  CountedRows counted() {
    return new CountedRows(this);
  }

  CopiedRows copied() {
    return new CopiedRows(this);
  }

  OverRows over() {
    return new OverRows(this);
  }

  EndedRows ended() {
    return new EndedRows(this);
  }

  AccessRows access() {
    return new AccessRows(this);
  }

  AuditRows audit() {
    return new AuditRows(this);
  }

  RateRows rates() {
    return new RateRows(this);
  }

  MinuteRows minutes() {
    return new MinuteRows(this);
  }

  CourseRows courses() {
    return new CourseRows(this);
  }

  PersonRows people() {
    return new PersonRows(this);
  }

  OwedRows owed() {
    return new OwedRows(this);
  }

  PresenceRows presence() {
    return new PresenceRows(this);
  }

  LeafRows leaves() {
    return new LeafRows(this);
  }

  CodeRows codes() {
    return new CodeRows(this);
  }

  JournalRows journal() {
    return new JournalRows(this);
  }

  EventRows events() {
    return new EventRows(this);
  }

  LogRows logs() {
    return new LogRows(this);
  }

  WebhookRows webhooks() {
    return new WebhookRows(this);
  }

  DeliveryRows deliveries() {
    return new DeliveryRows(this);
  }

  WriterMarks marks() {
    return new WriterMarks(this);
  }

  SharedValues shared() {
    return new SharedValues(this);
  }

  // What they all need.

  /** How many parameters a list in a statement has at most; longer ones are asked in parts. */
  private static final int MAX_LIST = 512;

  /** So many question marks. */
  static String marks(int count) {
    return "(?" + ", ?".repeat(count - 1) + ")";
  }

  /**
   * The same in parts of a few lengths only, so that the database can keep its plans: the last one
   * of a part may be in it several times.
   */
  <T> List<List<T>> parts(Collection<T> values) {
    List<T> all = List.copyOf(values);
    List<List<T>> parts = new ArrayList<>();
    for (int from = 0; from < all.size(); from += MAX_LIST) {
      List<T> some = all.subList(from, Math.min(all.size(), from + MAX_LIST));
      int length = Math.max(1, Integer.highestOneBit(2 * some.size() - 1));
      List<T> part = new ArrayList<>(some);
      part.addAll(Collections.nCopies(length - some.size(), some.getLast()));
      parts.add(part);
    }
    return parts;
  }

  Dialect dialect() {
    return dialect;
  }

  /** The time on the clock that decides. */
  long now() throws SQLException {
    return dialect.now(statements.connection());
  }

  /** Makes something of one row. */
  interface Made<T> {
    T of(ResultSet result) throws SQLException;
  }

  /** Sets the values of one row. */
  interface Values<T> {
    void set(PreparedStatement statement, T row) throws SQLException;
  }

  /** Whatever there is to do with a statement that has these values. */
  <A, E extends Exception> A run(Sql sql, Statements.Step<A, E> step, Object... values)
      throws SQLException, E {
    return statements.with(
        sql.in(dialect),
        statement -> {
          for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
          }
          return step.take(statement);
        });
  }

  <T> List<T> list(Made<T> made, Sql sql, Object... values) throws SQLException {
    return run(
        sql,
        select -> {
          List<T> some = new ArrayList<>();
          try (ResultSet result = select.executeQuery()) {
            while (result.next()) {
              some.add(made.of(result));
            }
          }
          return some;
        },
        values);
  }

  /** What is done with one row after the other. */
  interface Each<E extends Exception> {
    void take(ResultSet result) throws SQLException, E;
  }

  /** Row by row, however many: so many of them are fetched at a time. */
  <E extends Exception> void each(Each<E> each, int fetched, Sql sql, Object... values)
      throws SQLException, E {
    Statements.Step<Boolean, E> step =
        select -> {
          select.setFetchSize(fetched);
          try (ResultSet result = select.executeQuery()) {
            while (result.next()) {
              each.take(result);
            }
          }
          return true;
        };
    run(sql, step, values);
  }

  /** Of a statement that answers with one row, always. */
  <T> T one(Made<T> made, Sql sql, Object... values) throws SQLException {
    return list(made, sql, values).getFirst();
  }

  int update(Sql sql, Object... values) throws SQLException {
    return run(sql, PreparedStatement::executeUpdate, values);
  }

  /** The same for each of them, in one go; for none, nothing. */
  <T> void updateAll(Sql sql, Collection<T> some, Values<T> values) throws SQLException {
    if (some.isEmpty()) {
      return;
    }
    run(
        sql,
        update -> {
          for (T row : some) {
            values.set(update, row);
            update.addBatch();
          }
          return update.executeBatch();
        });
  }
}
