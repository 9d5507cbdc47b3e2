package io.naru.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.testkit.HttpConnection;
import io.naru.testkit.ServerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jar as the operating system sees it: what it prints and how it ends. */
class ProcessTest {

  private static final String STOPPING =
      "stopping: nobody is let in any more, requests under way are finished";

  @Test
  void start_printsWhatAPersonNeeds_andSigtermEndsItWell(@TempDir Path data) throws IOException {
    try (var server =
        ServerProcess.start(Site.JAR, List.of(), List.of("--data", data.toString()))) {
      int managementPort = server.managementPort();
      try (var connection = new HttpConnection(server.port())) {
        assertThat(connection.send("GET", "/health/live", "").status()).isEqualTo(200);
      }
      assertThat(server.log())
          .contains("is up: http://127.0.0.1:" + server.port())
          .contains("line       in memory")
          .contains("ledger     SQLite 3.")
          .contains("admin key  in " + data.resolve("admin-key"))
          .contains("metrics    http://127.0.0.1:" + managementPort + "/metrics");
      assertThat(managementPort).isNotEqualTo(server.port());

      assertThat(server.terminate()).as(server.log()).isZero();
      assertThat(server.log().lines()).endsWith(STOPPING, "stopped");
    }
  }

  /** A training that fails would only show as starts that are slow. */
  @Test
  void start_comesOutOfTheCache(@TempDir Path data, @TempDir Path logs) throws IOException {
    Path log = logs.resolve("loaded");
    var jvm = List.of("-Xlog:class+load:file=" + log);
    try (var server = ServerProcess.start(Site.JAR, jvm, List.of("--data", data.toString()))) {
      server.port();
    }

    assertThat(log)
        .content()
        .containsPattern("io.naru.server.http.HttpDoor source: shared objects file")
        .containsPattern("io.naru.ledger.Ledger source: shared objects file")
        .containsPattern("org.flywaydb.core.Flyway source: shared objects file");
  }

  @Test
  void badOption_exits2AndNamesIt(@TempDir Path data) {
    try (var server =
        ServerProcess.launch(
            Site.JAR,
            List.of(),
            List.of("--data", data.toString(), "--ledger", "jdbc:h2:mem:naru"))) {
      assertThat(server.exitCode()).isEqualTo(2);
      assertThat(server.log())
          .contains("--ledger: 'jdbc:h2:mem:naru' is not a ledger Naru knows")
          .doesNotContain("\tat ", "stop");
    }
  }

  @Test
  void portTaken_exits2AndNamesIt(@TempDir Path one, @TempDir Path two) {
    try (var first = ServerProcess.start(Site.JAR, List.of(), List.of("--data", one.toString()));
        var second =
            ServerProcess.launch(
                Site.JAR,
                List.of(),
                List.of("--data", two.toString(), "--port", "" + first.port()))) {
      assertThat(second.exitCode()).isEqualTo(2);
      assertThat(second.log())
          .contains("--port: cannot listen on 127.0.0.1 port " + first.port())
          .doesNotContain("\tat ");
      assertThat(first.isAlive()).isTrue();
    }
  }
}
