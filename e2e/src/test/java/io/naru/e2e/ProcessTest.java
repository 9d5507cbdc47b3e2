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
    }
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
          .doesNotContain("\tat ");
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
