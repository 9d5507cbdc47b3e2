package io.naru.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** On a database in memory: statements are the driver's own. */
class StatementsTest {

  private Connection connection;

  @BeforeEach
  void open() throws SQLException {
    connection = DriverManager.getConnection("jdbc:sqlite::memory:");
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
  }

  private static PreparedStatement used(Statements statements, String sql) throws SQLException {
    return statements.with(
        sql,
        statement -> {
          try (ResultSet result = statement.executeQuery()) {
            assertThat(result.next()).isTrue();
          }
          return statement;
        });
  }

  @Test
  void kept_usedAgain_isTheSame() throws SQLException {
    var statements = Statements.kept(connection, 2);

    PreparedStatement first = used(statements, "SELECT 1");

    assertThat(used(statements, "SELECT 1")).isSameAs(first);
    assertThat(first.isClosed()).isFalse();
  }

  @Test
  void kept_moreThanAllowed_closesTheOneNotUsedForLongest() throws SQLException {
    var statements = Statements.kept(connection, 2);
    PreparedStatement one = used(statements, "SELECT 1");
    PreparedStatement two = used(statements, "SELECT 2");
    used(statements, "SELECT 1");

    used(statements, "SELECT 3");

    assertThat(two.isClosed()).isTrue();
    assertThat(used(statements, "SELECT 1")).isSameAs(one);
  }

  @Test
  void notKept_isClosedAtOnce() throws SQLException {
    assertThat(used(Statements.of(connection), "SELECT 1").isClosed()).isTrue();
  }

  @Test
  void with_inTheMiddleOfTheSame_hasAnother() throws SQLException {
    var statements = Statements.kept(connection, 2);
    used(statements, "SELECT 1");

    PreparedStatement outer =
        statements.with(
            "SELECT 1",
            statement -> {
              assertThat(used(statements, "SELECT 1")).isNotSameAs(statement);
              return statement;
            });

    assertThat(used(statements, "SELECT 1")).isSameAs(outer);
  }

  @Test
  void with_failure_isToldAndNothingIsKept() throws SQLException {
    var statements = Statements.kept(connection, 2);
    PreparedStatement first = used(statements, "SELECT 1");

    assertThatThrownBy(
            () ->
                statements.with(
                    "SELECT 1",
                    _ -> {
                      throw new SQLException("in the middle");
                    }))
        .hasMessage("in the middle");

    assertThat(first.isClosed()).isTrue();
    assertThat(used(statements, "SELECT 1")).isNotSameAs(first);
  }
}
