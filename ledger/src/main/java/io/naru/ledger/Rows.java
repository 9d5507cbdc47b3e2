package io.naru.ledger;

import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The way to the tables, over one connection: all SQL on them is behind these doors, each of which
 * is about one thing. What differs between databases is in {@link Dialect}.
 */
final class Rows {

  private static final String SUCCESS = "00000";

  private final Statements statements;
  private final Dialect dialect;
  private final boolean isHolding;

  /** Changes that go with the next question, or with the commit. */
  private final List<Held> held = new ArrayList<>();

  private record Held(String sql, List<@Nullable Object> values) {}

  Rows(Connection connection, Dialect dialect) {
    this(Statements.of(connection), dialect, false);
  }

  private Rows(Statements statements, Dialect dialect, boolean isHolding) {
    this.statements = statements;
    this.dialect = dialect;
    this.isHolding = isHolding;
  }

  /** For one transaction, which {@link #commit} ends. */
  static Rows ofTransaction(Statements statements, Dialect dialect) {
    return new Rows(statements, dialect, dialect.takesSeveral());
  }

  /** The same, with a trip for each statement. */
  static Rows oneByOne(Statements statements, Dialect dialect) {
    return new Rows(statements, dialect, false);
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
  <A, E extends Exception> A run(Sql sql, Statements.Step<A, E> step, @Nullable Object... values)
      throws SQLException, E {
    sendHeld();
    return run(sql.in(dialect), step, Arrays.asList(values));
  }

  private <A, E extends Exception> A run(
      String sql, Statements.Step<A, E> step, List<@Nullable Object> values)
      throws SQLException, E {
    return statements.with(
        sql,
        statement -> {
          for (int i = 0; i < values.size(); i++) {
            statement.setObject(i + 1, values.get(i));
          }
          return step.take(statement);
        });
  }

  /**
   * Changes something, of which nobody needs to know how much it was. In a transaction of the
   * writer that may wait for what is asked next, or for the commit: each trip to a database is time
   * in which others wait for the queue's lock.
   */
  void change(Sql sql, @Nullable Object... values) throws SQLException {
    held.add(new Held(sql.in(dialect), Arrays.asList(values)));
    if (!isHolding) {
      sendHeld();
    }
  }

  private void sendHeld() throws SQLException {
    if (!held.isEmpty()) {
      send(PreparedStatement::execute);
    }
  }

  /**
   * Commits, in one trip with all that has waited for it.
   *
   * @return with which warning that was answered, if it was
   */
  @Nullable SQLWarning commit() throws SQLException {
    Connection connection = statements.connection();
    if (held.isEmpty()) {
      connection.clearWarnings();
      connection.commit();
      return firstThatWarns(connection.getWarnings());
    }
    held.add(new Held("COMMIT", List.of()));
    return firstThatWarns(
        send(
            statement -> {
              statement.execute();
              return statement.getWarnings();
            }));
  }

  /**
   * A driver hands out whatever is said, of all that was sent together. What goes by the state of
   * success is a notice, as a trigger may raise one, and puts no commit in doubt.
   */
  private static @Nullable SQLWarning firstThatWarns(@Nullable SQLWarning first) {
    SQLWarning said = first;
    while (said != null && SUCCESS.equals(said.getSQLState())) {
      said = said.getNextWarning();
    }
    return said;
  }

  /**
   * Whatever fails of these, what is behind it does not happen.
   *
   * @param step warnings are for who needs them: some drivers ask the database for them
   */
  private <A> A send(Statements.Step<A, SQLException> step) throws SQLException {
    String sql = held.stream().map(Held::sql).collect(Collectors.joining(";\n"));
    List<@Nullable Object> values = new ArrayList<>();
    held.forEach(each -> values.addAll(each.values));
    held.clear();
    return run(sql, step, values);
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
          try {
            return update.executeBatch();
          } catch (BatchUpdateException e) {
            throw causeOf(e);
          }
        });
  }

  /**
   * What really failed. A driver may wrap it, and say nothing then by which it could be told what
   * to do: that the connection is gone, that others had to go first.
   */
  private static SQLException causeOf(BatchUpdateException wrapped) {
    SQLException cause = wrapped;
    while (cause instanceof BatchUpdateException && cause.getCause() instanceof SQLException next) {
      cause = next;
    }
    return cause;
  }
}
