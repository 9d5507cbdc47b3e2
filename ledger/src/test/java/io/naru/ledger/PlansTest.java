package io.naru.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.testkit.MariaDbServer;
import io.naru.testkit.PostgresServer;
import io.naru.testkit.Program;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
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
  private record Question(Sql sql, String index, String sqlite) {

    /** As MariaDB calls it, which has one name for all primary keys. */
    String mariaDb() {
      return index.endsWith("_pkey") ? "PRIMARY" : index;
    }
  }

  private static final List<Question> QUESTIONS =
      List.of(
          new Question(
              EntryRows.ofUsers(128, EntryRows.KNOWN),
              "queue_entries_user",
              "queue_entries_user (user_id=?)"),
          new Question(
              EntryRows.FRONT,
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
              CopiedRows.WAITING,
              "queue_entries_waiting",
              "queue_entries_waiting (<expr>=? AND score>?)"),
          new Question(
              EntryRows.OVERDUE,
              "queue_entries_inside",
              "queue_entries_inside (queue_id=? AND expires_at<?)"),
          new Question(
              EntryRows.STAYING,
              "queue_entries_inside",
              "queue_entries_inside (queue_id=? AND expires_at>?)"),
          new Question(
              CopiedRows.INSIDE,
              "queue_entries_inside",
              "queue_entries_inside (queue_id=? AND expires_at>?)"),
          new Question(
              CopiedRows.SOME_SINCE,
              "queue_entries_change",
              "queue_entries_change (<expr>=? AND change_no>?)"),
          new Question(
              CopiedRows.ALL_SINCE,
              "queue_entries_change",
              "queue_entries_change (<expr>=? AND change_no>?)"),
          new Question(
              QueueLists.DUE,
              "waiting_queues_busy",
              "waiting_queues_busy ((event_type,event_id)>(?,?))"),
          new Question(QueueLists.DUE, "queue_entries_inside", "queue_entries_inside (queue_id=?)"),
          new Question(
              QueueLists.BUSY_HEADS,
              "waiting_queues_busy",
              "waiting_queues_busy ((event_type,event_id)>(?,?))"),
          new Question(
              QueueLists.DRAWN,
              "waiting_queues_busy",
              "waiting_queues_busy ((event_type,event_id)>(?,?))"),
          new Question(
              QueueLists.CHANGED_HEADS,
              "waiting_queues_changed",
              "waiting_queues_changed (changed_minute=?"),
          new Question(
              QueueLists.LATELY_HEADS,
              "waiting_queues_changed",
              "waiting_queues_changed (changed_minute=?"),
          new Question(
              QueueLists.TURNING, "waiting_queues_told", "waiting_queues_told (told_until<?)"),
          new Question(
              OverRows.SINCE,
              "queue_entries_change",
              "queue_entries_change (<expr>=? AND change_no>?)"),
          new Question(OverRows.BEFORE, "queue_entries_change", "queue_entries_change (<expr>=?)"),
          new Question(
              OverRows.SOME,
              "queue_entries_over",
              "queue_entries_over (<expr>=? AND expires_at>?)"),
          new Question(
              OverRows.ALL, "queue_entries_over", "queue_entries_over (<expr>=? AND expires_at>?)"),
          new Question(
              EntryRows.UPDATE, "queue_entries_pkey", "PRIMARY KEY (queue_id=? AND joined_at=?)"),
          new Question(
              EndedRows.WITH_ENDED,
              "queue_entries_pkey",
              "PRIMARY KEY (queue_id=? AND joined_at<?)"),
          new Question(
              EndedRows.ENDED,
              "queue_entries_pkey",
              "PRIMARY KEY (queue_id=? AND joined_at>? AND joined_at<?)"),
          new Question(
              EndedRows.ALL, "queue_entries_pkey", "PRIMARY KEY (queue_id=? AND joined_at>?)"),
          new Question(
              EndedRows.DELETE_ENDED,
              "queue_entries_pkey",
              "PRIMARY KEY (queue_id=? AND joined_at>? AND joined_at<?)"),
          new Question(PersonRows.OF_USER, "queue_entries_user", "queue_entries_user (user_id=?)"),
          new Question(PersonRows.KEYS, "queue_entries_user", "queue_entries_user (user_id=?)"),
          new Question(
              PersonRows.AT, "queue_entries_pkey", "PRIMARY KEY (queue_id=? AND joined_at=?)"),
          new Question(
              PersonRows.ERASE, "queue_entries_pkey", "PRIMARY KEY (queue_id=? AND joined_at=?)"),
          new Question(
              CourseRows.JOINED,
              "queue_entries_pkey",
              "PRIMARY KEY (queue_id=? AND joined_at>? AND joined_at<?)"),
          new Question(
              MinuteRows.BETWEEN,
              "queue_minutes_pkey",
              "PRIMARY KEY (queue_id=? AND minute>? AND minute<?)"),
          new Question(
              MinuteRows.LAST_BEFORE,
              "queue_minutes_pkey",
              "PRIMARY KEY (queue_id=? AND minute<?)"),
          new Question(
              MinuteRows.FORGET, "queue_minutes_pkey", "PRIMARY KEY (queue_id=? AND minute<?)"),
          new Question(
              MinuteRows.FIRST, "queue_minutes_pkey", "PRIMARY KEY (queue_id=? AND minute<?)"),
          new Question(
              MinuteRows.WITH_OLD, "queue_minutes_pkey", "PRIMARY KEY (queue_id=? AND minute<?)"),
          new Question(
              EntryRows.ofJoined(4),
              "queue_entries_pkey",
              "PRIMARY KEY (queue_id=? AND joined_at=?)"),
          new Question(
              PresenceRows.BACK,
              "queue_absent_since",
              "queue_absent_since (queue_id=? AND since=? AND score>?)"),
          new Question(
              PresenceRows.ABSENT,
              "queue_absent_since",
              "queue_absent_since (queue_id=? AND since>?)"),
          new Question(
              PresenceRows.FIRST,
              "queue_absent_score",
              "queue_absent_score (queue_id=? AND score>?)"),
          new Question(
              OwedRows.FIRST, "queue_owed_until", "queue_owed_until (queue_id=? AND owed_until>?)"),
          new Question(EventRows.UNREAD, "queue_events_pkey", "PRIMARY KEY (queue_id>?)"),
          new Question(
              EventRows.UNREAD, "queue_events_pkey", "PRIMARY KEY (queue_id=? AND change_no>?)"),
          new Question(
              EventRows.AFTER, "queue_events_pkey", "PRIMARY KEY (queue_id=? AND change_no>?)"),
          new Question(
              EndedRows.DELETE_ALL,
              "queue_entries_pkey",
              "PRIMARY KEY (queue_id=? AND joined_at>? AND joined_at<?)"));

  @Test
  void sqlite_emptyDatabase_usesTheIndexMadeForIt(@TempDir Path directory) throws SQLException {
    String url = "jdbc:sqlite:" + directory.resolve("ledger.db");
    Ledger.open(new Ledger.Config(url, null, null, false), InstantSource.system()).close();
    var dialect = Dialect.of(url, InstantSource.system());
    try (var connection = DriverManager.getConnection(url)) {
      for (Question question : QUESTIONS) {
        String sql = question.sql.in(dialect);
        assertThat(plan(connection, "EXPLAIN QUERY PLAN " + sql, 4))
            .as(sql)
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
        String sql = question.sql.in(new Postgres());
        assertThat(plan(connection, "EXPLAIN (GENERIC_PLAN) " + numbered(sql, "$%d"), 1))
            .as(sql)
            .containsPattern("Index (Only )?Scan (Backward )?(using|on) " + question.index + " ");
      }
    }
  }

  @Nested
  class OnMariaDb {

    /** How many, and from which on, cannot be a text. */
    private static String literal(String sql) {
      return sql.replace("LIMIT ?", "LIMIT 9").replace("OFFSET ?", "OFFSET 9");
    }

    @RegisterExtension private static final Program mariaDb = MariaDbServer.program();

    @Test
    void fewEntries_usesTheIndexMadeForIt() throws SQLException {
      Ledger.Config config = LedgerFixture.mariaDb();
      Ledger.open(config, InstantSource.system()).close();
      var properties = new MariaDb().properties(Dialect.Use.WRITE);
      properties.setProperty("user", config.user());
      properties.setProperty("password", config.password());
      try (var connection = DriverManager.getConnection(config.url(), properties);
          var statement = connection.createStatement()) {
        // It looks into its indexes before it chooses one, and plans with the values at hand.
        statement.execute(
            """
            INSERT INTO queue_entries
              (queue_id, score, user_id, status, joined_at, entered_at, expires_at, ended_at, live, change_no)
            SELECT q.seq, n.seq, concat('user', n.seq), 'WAITING', n.seq, 0, 0, 0, 1, n.seq
            FROM seq_1_to_9 q, seq_1_to_100 n
            """);
        for (Question question : QUESTIONS) {
          String sql = question.sql.in(new MariaDb());
          String asked = numbered(literal(sql), "'%d'");
          assertThat(plan(connection, "EXPLAIN " + asked, 6)).as(sql).contains(question.mariaDb());
        }
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
        EntryRows.FRONT
            .in(new Postgres())
            .replaceFirst("\\?", "7")
            .replaceFirst("\\?", "0")
            .replace("?", "100");
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

  /** With the number of each question mark in its place. */
  private static String numbered(String sql, String format) {
    int[] number = {0};
    return Pattern.compile("\\?")
        .matcher(sql)
        .replaceAll(_ -> Matcher.quoteReplacement(format.formatted(++number[0])));
  }
}
