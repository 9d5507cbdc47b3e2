package io.naru.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.testkit.PostgresServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * On an empty database, of which no planner knows anything yet, every question is answered by the
 * index that was made for it (ADR 0011).
 */
@Tag("process")
class PlansTest {

  /**
   * A question of {@link Rows} and what must answer it.
   *
   * @param sqlite as SQLite calls it, which has no name for a primary key
   */
  private record Question(String sql, String postgres, String sqlite) {}

  private static final List<Question> QUESTIONS =
      List.of(
          new Question(
              Rows.OF_USERS + "AND user_id IN (?" + ", ?".repeat(127) + ")",
              "queue_entries_user",
              "queue_entries_user (user_id=?)"),
          new Question(
              Rows.OF_QUEUE + "AND score >= ? AND status = 'WAITING' ORDER BY score LIMIT 9",
              "queue_entries_pkey",
              "PRIMARY KEY (queue_id=? AND score>?)"),
          new Question(
              Rows.OF_QUEUE
                  + "AND status = 'ENTERED' AND expires_at <= ? ORDER BY expires_at LIMIT 9",
              "queue_entries_inside",
              "queue_entries_inside (queue_id=? AND expires_at<?)"),
          new Question(
              Rows.OF_CHANGES + "AND change_no > ? ORDER BY change_no LIMIT 9",
              "queue_entries_change",
              "queue_entries_change (<expr>=? AND change_no>?)"),
          new Question(
              Rows.OVER_SINCE,
              "queue_entries_change",
              "queue_entries_change (<expr>=? AND change_no>?)"),
          new Question(
              Rows.OVER_SOME,
              "queue_entries_over",
              "queue_entries_over (<expr>=? AND expires_at>?)"),
          new Question(
              Rows.DUE, "waiting_queues_busy", "waiting_queues_busy ((event_type,event_id)>(?,?))"),
          new Question(
              Rows.BUSY_HEADS,
              "waiting_queues_busy",
              "waiting_queues_busy ((event_type,event_id)>(?,?))"),
          new Question(
              Rows.CHANGED_HEADS,
              "waiting_queues_changed",
              "waiting_queues_changed (changed_minute=?"),
          new Question(
              Rows.OF_CHANGES + "AND change_no > ? ORDER BY change_no, score",
              "queue_entries_change",
              "queue_entries_change (<expr>=? AND change_no>?)"),
          new Question(
              Rows.OF_QUEUE + "AND status = 'ENTERED' AND expires_at > ? ORDER BY expires_at",
              "queue_entries_inside",
              "queue_entries_inside (queue_id=? AND expires_at>?)"),
          new Question(
              Rows.UPDATE_ENTRY, "queue_entries_pkey", "PRIMARY KEY (queue_id=? AND score=?)"));

  @Test
  void sqlite_emptyDatabase_usesTheIndexMadeForIt(@TempDir Path directory) throws SQLException {
    String url = "jdbc:sqlite:" + directory.resolve("ledger.db");
    Ledger.open(new Ledger.Config(url, null, null, false), InstantSource.system()).close();
    try (var connection = DriverManager.getConnection(url)) {
      for (Question question : QUESTIONS) {
        assertThat(plan(connection, "EXPLAIN QUERY PLAN " + question.sql, 4))
            .as(question.sql)
            .contains("SEARCH")
            .contains(question.sqlite);
      }
    }
  }

  @Test
  void postgres_emptyDatabase_usesTheIndexMadeForIt() throws SQLException {
    PostgresServer database = PostgresServer.shared();
    var config = new Ledger.Config(database.fresh(), database.user(), database.password(), false);
    Ledger.open(config, InstantSource.system()).close();
    var properties = new Postgres().properties(Dialect.Use.WRITE);
    properties.setProperty("user", database.user());
    properties.setProperty("password", database.password());
    // The parameters are the server's own, not those of the driver.
    properties.setProperty("preferQueryMode", "simple");
    try (var connection = DriverManager.getConnection(config.url(), properties)) {
      for (Question question : QUESTIONS) {
        String plan = plan(connection, "EXPLAIN (GENERIC_PLAN) " + numbered(question.sql), 1);
        assertThat(plan)
            .as(question.sql)
            .containsPattern("Index Scan (using|on) " + question.postgres + " ");
      }
    }
  }

  private static String plan(Connection connection, String explain, int column)
      throws SQLException {
    List<String> lines = new ArrayList<>();
    try (var statement = connection.createStatement();
        ResultSet plan = statement.executeQuery(explain)) {
      while (plan.next()) {
        lines.add(plan.getString(column));
      }
    }
    return String.join("\n", lines);
  }

  /** With {@code $1, $2, …} in place of question marks, as the server itself counts them. */
  private static String numbered(String sql) {
    int[] number = {0};
    return Pattern.compile("\\?").matcher(sql).replaceAll(_ -> "\\$" + ++number[0]);
  }
}
