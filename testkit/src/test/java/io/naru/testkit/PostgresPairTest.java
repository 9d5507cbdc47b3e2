package io.naru.testkit;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class PostgresPairTest {

  @Test
  void failOver_whatWasCommitted_isThereAndWhatWasCancelledIsNot() throws Exception {
    try (var pair = PostgresPair.start()) {
      var first = connect(pair);
      execute(first, "CREATE TABLE a (b int)");
      execute(first, "INSERT INTO a VALUES (1)");
      pair.swallowReplication();
      var commit = CompletableFuture.runAsync(() -> execute(first, "INSERT INTO a VALUES (2)"));
      pair.awaitWaitingCommit();
      assertThat(commit).isNotDone();

      assertThat(pair.cancelWaitingCommits()).isEqualTo(1);
      commit.get(20, SECONDS);
      pair.failOver();

      try (var second = connect(pair);
          var rows = second.createStatement().executeQuery("SELECT sum(b) FROM a")) {
        rows.next();
        assertThat(rows.getInt(1)).isEqualTo(1);
        execute(second, "INSERT INTO a VALUES (3)");
      }
    }
  }

  private static Connection connect(PostgresPair pair) throws SQLException {
    return DriverManager.getConnection(
        pair.url(), pair.primary().user(), pair.primary().password());
  }

  private static void execute(Connection connection, String sql) {
    try (var statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
