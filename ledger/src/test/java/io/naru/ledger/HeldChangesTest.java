package io.naru.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.naru.testkit.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Changes that go to the database together with what comes next. */
@Tag("process")
class HeldChangesTest {

  private static final Sql PUT = Sql.of("INSERT INTO things (name) VALUES (?)");
  private static final Sql ALL = Sql.of("SELECT name FROM things ORDER BY name");

  private final Dialect dialect = Dialect.of("jdbc:postgresql:", InstantSource.system());
  private String url;
  private Connection connection;
  private Rows rows;

  @BeforeEach
  void open() throws SQLException {
    url = PostgresServer.shared().fresh();
    connection = connect();
    try (var statement = connection.createStatement()) {
      statement.execute("CREATE TABLE things (name text PRIMARY KEY)");
    }
    begin();
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
  }

  private void begin() throws SQLException {
    connection.setAutoCommit(false);
    rows = Rows.ofTransaction(Statements.kept(connection, 8), dialect);
  }

  private Connection connect() throws SQLException {
    PostgresServer server = PostgresServer.shared();
    return DriverManager.getConnection(url, server.user(), server.password());
  }

  private List<String> seenByOthers() throws SQLException {
    try (Connection other = connect()) {
      return new Rows(other, dialect).list(result -> result.getString(1), ALL);
    }
  }

  /** Empty if there is none. */
  private String warningOfCommit() throws SQLException {
    SQLWarning warning = rows.commit();
    return warning == null ? "" : String.valueOf(warning.getMessage());
  }

  @Test
  void change_questionAfterIt_seesIt() throws SQLException {
    rows.change(PUT, "one");
    rows.change(PUT, "two");

    assertThat(rows.list(result -> result.getString(1), ALL)).containsExactly("one", "two");
    assertThat(seenByOthers()).isEmpty();
  }

  @Test
  void commit_takesWhatWasHeldAlong() throws SQLException {
    for (String name : List.of("one", "two", "three", "four", "five")) {
      rows.change(PUT, name);

      assertThat(warningOfCommit()).isEmpty();

      assertThat(seenByOthers()).contains(name);
    }
  }

  @Test
  void commit_nothingHeld_commits() throws SQLException {
    rows.update(PUT, "one");

    assertThat(warningOfCommit()).isEmpty();

    assertThat(seenByOthers()).containsExactly("one");
  }

  @Test
  void commit_oneOfThemFails_nothingHappens() throws SQLException {
    rows.change(PUT, "one");
    rows.change(PUT, "one");
    rows.change(PUT, "two");

    assertThatThrownBy(rows::commit).hasMessageContaining("duplicate key");

    assertThat(seenByOthers()).isEmpty();
    connection.rollback();
    begin();
    rows.change(PUT, "three");
    assertThat(warningOfCommit()).isEmpty();
    assertThat(seenByOthers()).containsExactly("three");
  }

  @Test
  void commit_answeredWithAWarning_isSaid() throws SQLException {
    rows.change(PUT, "one");
    rows.change(Sql.of("DO 'BEGIN RAISE WARNING ''careful''; END'"));

    assertThat(warningOfCommit()).contains("careful");
  }

  @Test
  void commit_withANoticeOnly_isNoWarning() throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute(
          "CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS"
              + " 'BEGIN RAISE NOTICE ''by the way''; RETURN NEW; END'");
      statement.execute(
          "CREATE TRIGGER telling BEFORE INSERT ON things FOR EACH ROW EXECUTE FUNCTION tell()");
    }
    rows.change(PUT, "one");

    assertThat(warningOfCommit()).isEmpty();

    assertThat(seenByOthers()).containsExactly("one");
  }

  @Test
  void commit_withAWarningBehindANotice_isSaid() throws SQLException {
    rows.change(PUT, "one");
    rows.change(Sql.of("DO 'BEGIN RAISE NOTICE ''by the way''; END'"));
    rows.change(Sql.of("DO 'BEGIN RAISE WARNING ''careful''; END'"));

    assertThat(warningOfCommit()).contains("careful");
  }

  @Test
  void change_givenUp_isForgotten() throws SQLException {
    rows.change(PUT, "one");
    connection.rollback();
    begin();

    rows.change(PUT, "two");
    rows.commit();

    assertThat(seenByOthers()).containsExactly("two");
  }

  @Test
  void change_outsideTheWriter_isDoneAtOnce() throws SQLException {
    connection.setAutoCommit(true);

    new Rows(connection, dialect).change(PUT, "one");

    assertThat(seenByOthers()).containsExactly("one");
  }
}
