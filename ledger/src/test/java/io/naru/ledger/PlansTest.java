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
              EntryRows.OF_USERS + "AND user_id IN (?" + ", ?".repeat(127) + ")",
              "queue_entries_user",
              "queue_entries_user (user_id=?)"),
          new Question(
              EntryRows.OF_WAITING + "AND score >= ? ORDER BY score LIMIT 9",
              "queue_entries_waiting",
              "queue_entries_waiting (<expr>=? AND score>?)"),
          new Question(
              QueueLists.LIST,
              "queue_entries_waiting",
              "queue_entries_waiting (<expr>=? AND score>?)"),
          new Question(
              CountedRows.WAITING_SCORES,
              "queue_entries_waiting",
              "queue_entries_waiting (<expr>=? AND score>?)"),
          new Question(
              CountedRows.WAITING_BETWEEN,
              "queue_entries_waiting",
              "queue_entries_waiting (<expr>=? AND score>? AND score<?)"),
          new Question(
              EntryRows.OF_QUEUE
                  + "AND status = 'ENTERED' AND expires_at <= ? ORDER BY expires_at LIMIT 9",
              "queue_entries_inside",
              "queue_entries_inside (queue_id=? AND expires_at<?)"),
          new Question(
              EntryRows.OF_CHANGES + "AND change_no > ? ORDER BY change_no LIMIT 9",
              "queue_entries_change",
              "queue_entries_change (<expr>=? AND change_no>?)"),
          new Question(
              QueueLists.DUE,
              "waiting_queues_busy",
              "waiting_queues_busy ((event_type,event_id)>(?,?))"),
          new Question(
              QueueLists.BUSY_HEADS,
              "waiting_queues_busy",
              "waiting_queues_busy ((event_type,event_id)>(?,?))"),
          new Question(
              QueueLists.CHANGED_HEADS,
              "waiting_queues_changed",
              "waiting_queues_changed (changed_minute=?"),
          new Question(
              OverRows.SINCE,
              "queue_entries_change",
              "queue_entries_change (<expr>=? AND change_no>?)"),
          new Question(
              OverRows.SOME,
              "queue_entries_over",
              "queue_entries_over (<expr>=? AND expires_at>?)"),
          new Question(
              EntryRows.OF_CHANGES + "AND change_no > ? ORDER BY change_no, score",
              "queue_entries_change",
              "queue_entries_change (<expr>=? AND change_no>?)"),
          new Question(
              EntryRows.OF_QUEUE + "AND status = 'ENTERED' AND expires_at > ? ORDER BY expires_at",
              "queue_entries_inside",
              "queue_entries_inside (queue_id=? AND expires_at>?)"),
          new Question(
              EntryRows.UPDATE, "queue_entries_pkey", "PRIMARY KEY (queue_id=? AND score=?)"),
          new Question(
              EndedRows.WITH_ENDED, "queue_entries_pkey", "PRIMARY KEY (queue_id=? AND score<?)"),
          new Question(
              EndedRows.ENDED,
              "queue_entries_pkey",
              "PRIMARY KEY (queue_id=? AND score>? AND score<?)"),
          new Question(EndedRows.ALL, "queue_entries_pkey", "PRIMARY KEY (queue_id=? AND score>?)"),
          new Question(
              EndedRows.DELETE_ENDED,
              "queue_entries_pkey",
              "PRIMARY KEY (queue_id=? AND score>? AND score<?)"),
          new Question(
              EndedRows.DELETE_ALL,
              "queue_entries_pkey",
              "PRIMARY KEY (queue_id=? AND score>? AND score<?)"));

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
            .containsPattern("Index (Only )?Scan (using|on) " + question.postgres + " ");
      }
    }
  }

  /** As many rows are touched as are waiting, however many have left before them. */
  @Test
  void front_manyHaveLeft_readsOnlyThoseWhoWait() throws SQLException {
    PostgresServer database = PostgresServer.shared();
    var config = new Ledger.Config(database.fresh(), database.user(), database.password(), false);
    Ledger.open(config, InstantSource.system()).close();
    var properties = new Postgres().properties(Dialect.Use.WRITE);
    properties.setProperty("user", database.user());
    properties.setProperty("password", database.password());
    String front =
        EntryRows.OF_WAITING.replace("?", "7") + "AND score >= 0 ORDER BY score LIMIT 100";
    try (var connection = DriverManager.getConnection(config.url(), properties);
        var statement = connection.createStatement()) {
      statement.execute(
          """
          INSERT INTO queue_entries SELECT 7, n, 'user' || n,
            CASE WHEN n <= 20000 THEN 'LEFT' ELSE 'WAITING' END, n, 0, 0, 0,
            CASE WHEN n > 20000 THEN 1 END, 1
          FROM generate_series(1, 20200) n
          """);
      String explain = "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) " + front;
      assertThat(plan(connection, explain, 1))
          .contains("using queue_entries_waiting", "(queue_id - 0) = 7", "rows=100.00")
          .doesNotContain("Rows Removed by Filter");

      statement.execute("DROP INDEX queue_entries_waiting");
      assertThat(plan(connection, explain, 1)).contains("Rows Removed by Filter: 20000");
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
