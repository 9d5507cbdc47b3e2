package io.naru.testkit;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class MariaDbServerTest {

  @RegisterExtension static final Program MARIADB = MariaDbServer.program();

  @Test
  void start_byDefault_syncsWhatItCommits() throws SQLException {
    try (var connection = MariaDbServer.shared().connect()) {
      assertThat(query(connection, "SELECT @@innodb_flush_log_at_trx_commit")).isEqualTo("1");
      assertThat(query(connection, "SELECT @@bind_address")).isEqualTo("127.0.0.1");
    }
  }

  @Test
  void start_badSetting_saysWhy() {
    assertThatThrownBy(() -> MariaDbServer.start("nonsense=1"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("nonsense");
  }

  @Test
  void connect_wrongPassword_isRefused() {
    var server = MariaDbServer.shared();
    assertThatThrownBy(() -> DriverManager.getConnection(server.url(), server.user(), "wrong"))
        .hasMessageContaining("Access denied");
  }

  @Test
  void restart_afterKillAndFreeze_keepsPortAndWhatWasCommitted() throws Exception {
    try (var server = MariaDbServer.start("innodb_flush_log_at_trx_commit=1")) {
      var uncommitted = server.connect();
      try (var connection = server.connect()) {
        execute(connection, "CREATE TABLE a (b int) ENGINE = InnoDB");
        execute(connection, "INSERT INTO a VALUES (1)");
        uncommitted.setAutoCommit(false);
        execute(uncommitted, "INSERT INTO a VALUES (2)");
      }
      long before = server.pid();
      server.kill();
      assertThatThrownBy(server::connect).isInstanceOf(SQLException.class);

      server.restart();

      assertThat(server.pid()).isNotEqualTo(before);
      try (var connection = server.connect()) {
        assertThat(query(connection, "SELECT group_concat(b) FROM a")).isEqualTo("1");

        server.freeze();
        var answer = CompletableFuture.supplyAsync(() -> query(connection, "SELECT 1"));
        assertThatThrownBy(() -> answer.get(200, MILLISECONDS))
            .isInstanceOf(TimeoutException.class);

        server.thaw();

        assertThat(answer.get(20, SECONDS)).isEqualTo("1");
      }
    }
  }

  private static String query(Connection connection, String sql) {
    try (var statement = connection.createStatement();
        var rows = statement.executeQuery(sql)) {
      rows.next();
      return String.valueOf(rows.getString(1));
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
