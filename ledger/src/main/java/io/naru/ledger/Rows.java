package io.naru.ledger;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * The way to the tables, over one connection: all SQL on them is behind these doors, each of which
 * is about one thing. What differs between databases is in {@link Dialect}.
 */
final class Rows {

  private final Connection connection;
  private final Dialect dialect;

  Rows(Connection connection, Dialect dialect) {
    this.connection = connection;
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

  CodeRows codes() {
    return new CodeRows(this);
  }

  WriterMarks marks() {
    return new WriterMarks(this);
  }

  SharedValues shared() {
    return new SharedValues(this);
  }

  // What they all need.

  Dialect dialect() {
    return dialect;
  }

  /** Makes something of one row. */
  interface Made<T> {
    T of(ResultSet result) throws SQLException;
  }

  PreparedStatement prepare(Sql sql, Object... values) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql.in(dialect));
    try {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      return statement;
    } catch (SQLException e) {
      statement.close();
      throw e;
    }
  }

  <T> List<T> list(Made<T> made, Sql sql, Object... values) throws SQLException {
    try (PreparedStatement select = prepare(sql, values);
        ResultSet result = select.executeQuery()) {
      List<T> some = new ArrayList<>();
      while (result.next()) {
        some.add(made.of(result));
      }
      return some;
    }
  }

  /** Of a statement that answers with one row, always. */
  <T> T one(Made<T> made, Sql sql, Object... values) throws SQLException {
    return list(made, sql, values).getFirst();
  }

  int update(Sql sql, Object... values) throws SQLException {
    try (PreparedStatement statement = prepare(sql, values)) {
      return statement.executeUpdate();
    }
  }
}
