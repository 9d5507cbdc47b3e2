package io.naru.testkit;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PostgresServerTest {

  @Test
  void start_byDefault_syncsWhatItCommits() throws SQLException {
    var server = PostgresServer.shared();
    try (var connection = server.connect()) {
      assertThat(query(connection, "SHOW server_version")).startsWith("18.6");
      assertThat(query(connection, "SHOW fsync")).isEqualTo("on");
      assertThat(query(connection, "SHOW synchronous_commit")).isEqualTo("on");
      assertThat(query(connection, "SHOW listen_addresses")).isEqualTo("127.0.0.1");
      assertThat(query(connection, "SHOW full_page_writes")).isEqualTo("on");
    }
  }

  @Test
  void start_withSettings_theyWin() throws SQLException {
    try (var server = PostgresServer.start("fsync=off", "synchronous_commit=off");
        var connection = server.connect()) {
      assertThat(query(connection, "SHOW fsync")).isEqualTo("off");
      assertThat(query(connection, "SHOW synchronous_commit")).isEqualTo("off");
    }
  }

  @Test
  void start_badSetting_saysWhy() {
    assertThatThrownBy(() -> PostgresServer.start("nonsense=1"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("nonsense");
  }

  @Test
  void connect_wrongPassword_isRefused() {
    var server = PostgresServer.shared();
    assertThatThrownBy(() -> DriverManager.getConnection(server.url(), server.user(), "wrong"))
        .hasMessageContaining("password authentication failed");
  }

  @Test
  void fresh_twice_areTwoDatabases() throws SQLException {
    var server = PostgresServer.shared();
    try (var one = server.connect(server.fresh());
        var two = server.connect(server.fresh())) {
      execute(one, "CREATE TABLE a (b int)");
      execute(two, "CREATE TABLE a (b int)");
    }
  }

  @Test
  void restart_afterKill_keepsPortAndWhatWasCommitted() throws SQLException {
    try (var server = PostgresServer.start()) {
      var uncommitted = server.connect();
      try (var connection = server.connect()) {
        execute(connection, "CREATE TABLE a (b int)");
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
        assertThat(query(connection, "SELECT string_agg(b::text, ',') FROM a")).isEqualTo("1");
      }
      assertThat(server.log()).contains("automatic recovery in progress");
    }
  }

  @Test
  void freeze_thenThaw_carriesOutWhatWasSent() throws Exception {
    try (var server = PostgresServer.start();
        var connection = server.connect()) {
      server.freeze();
      var answer = CompletableFuture.supplyAsync(() -> query(connection, "SELECT 1"));
      assertThatThrownBy(() -> answer.get(200, MILLISECONDS)).isInstanceOf(TimeoutException.class);

      server.thaw();

      assertThat(answer.get(20, SECONDS)).isEqualTo("1");
    }
  }

  /** Starts PostgreSQL, prints its process id, and stays until killed. */
  static final class Host {
    public static void main(String[] args) throws InterruptedException {
      System.out.println(PostgresServer.start().pid());
      Thread.sleep(60_000);
    }
  }

  @Test
  void start_whenItsJvmIsKilled_endsToo() throws IOException {
    var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    var path = System.getProperty("java.class.path");
    var host = new ProcessBuilder(java, "-cp", path, Host.class.getName()).start();
    try (var lines = host.inputReader()) {
      var postgres = ProcessHandle.of(Long.parseLong(lines.readLine())).orElseThrow();
      assertThat(postgres.isAlive()).isTrue();
      host.destroyForcibly();
      await().until(() -> !postgres.isAlive());
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

  @Test
  void find_severalVersions_isTheNewestThatHasItsPrograms(@TempDir Path folder) throws IOException {
    Path older = programs(folder, "15");
    Path newer = programs(folder, "18");
    var environment = Map.of("PATH", "", "NARU_POSTGRES_DIR", folder.toString());
    assertThat(PostgresServer.find(environment)).contains(newer);

    Files.delete(newer.resolveSibling("pg_dump"));
    assertThat(PostgresServer.find(environment)).contains(older);
    assertThat(PostgresServer.find(Map.of("PATH", "", "NARU_POSTGRES_DIR", folder + "/none")))
        .isEmpty();
  }

  @Test
  void find_namedOrOnThePath_isThatOne(@TempDir Path folder) throws IOException {
    Path named = programs(folder, "14");
    programs(folder, "18");
    String path = String.valueOf(named.getParent());

    for (var environment :
        List.of(Map.of("PATH", path), Map.of("PATH", "", "NARU_POSTGRES", named.toString()))) {
      var all = new HashMap<>(environment);
      all.put("NARU_POSTGRES_DIR", folder.toString());
      assertThat(PostgresServer.find(all)).contains(named);
    }
  }

  private static Path programs(Path folder, String version) throws IOException {
    Path bin = Files.createDirectories(folder.resolve(version).resolve("bin"));
    for (String name : List.of("pg_dump", "postgres")) {
      assertThat(Files.createFile(bin.resolve(name)).toFile().setExecutable(true)).isTrue();
    }
    return bin.resolve("postgres");
  }
}
