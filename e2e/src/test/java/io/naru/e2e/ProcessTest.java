package io.naru.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.testkit.HttpConnection;
import io.naru.testkit.ServerProcess;
import io.naru.testkit.StrictJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
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

  @Test
  void logFormatJson_everyLineIsAnObject_theLastOnesToo(@TempDir Path data) throws IOException {
    var args = List.of("--data", data.toString(), "--log-format", "json");
    try (var server = ServerProcess.start(Site.JAR, List.of(), args)) {
      assertThat(server.managementPort()).isPositive();
      try (var connection = new HttpConnection(server.port())) {
        String key = Files.readString(data.resolve("admin-key")).strip();
        String queue = "{\"eventType\":\"LOGGED\",\"eventId\":\"1\"}";
        String bearer = "Authorization: Bearer " + key;
        String id = "X-Request-Id: from-the-proxy";
        assertThat(connection.send("POST", "/admin/queue/activate", queue, bearer, id).status())
            .isEqualTo(201);
      }
      assertThat(server.terminate()).as(server.log()).isZero();

      var messages = server.log().lines().map(StrictJson::object).toList();
      assertThat(messages)
          .extracting(line -> line.get("message"))
          .anyMatch(said -> ("" + said).startsWith("Naru"))
          .endsWith(STOPPING, "stopped");
      assertThat(messages)
          .filteredOn(line -> "naru.audit".equals(line.get("logger")))
          .extracting(line -> line.get("requestId"))
          .containsExactly("from-the-proxy");
    }
  }

  /** A training that fails, and work that is not needed yet, would only show as slow starts. */
  @Test
  void start_comesOutOfTheCache_andDoesNotDoWhatIsNotNeededYet(
      @TempDir Path data, @TempDir Path logs, @TempDir Path unpacked) throws IOException {
    Path loaded = logs.resolve("loaded");
    Path used = logs.resolve("used");
    var jvm =
        List.of(
            "-Xlog:class+load:file=" + loaded,
            "-Xlog:class+init=info:file=" + used,
            "-Dorg.sqlite.tmpdir=" + unpacked);
    try (var server = ServerProcess.start(Site.JAR, jvm, List.of("--data", data.toString()));
        var connection = new HttpConnection(server.port())) {
      // It answers before it has looked for the first time at what is due.
      await().until(() -> connection.send("GET", "/health/ready", "").status() == 200);
      assertThat(unpacked).as("what the driver of SQLite unpacks").isEmptyDirectory();
    }

    assertThat(loaded)
        .content()
        .containsPattern("io.naru.server.http.HttpDoor source: shared objects file")
        .containsPattern("io.naru.ledger.Ledger source: shared objects file")
        .containsPattern("org.flywaydb.core.Flyway source: shared objects file");
    assertThat(used)
        .content()
        .contains("'io/naru/server/UpCommand'")
        .doesNotContain(
            "'io/naru/server/GatewayCommand'",
            "'io/netty/util/internal/CleanerJava24Linker'",
            "'java/math/BigDecimal'",
            "'jdk/internal/net/http/HttpClientImpl'",
            "'jdk/jfr/internal/MetadataRepository'",
            "'sun/security/ec/ECOperations'");
  }

  @Test
  void secretsInFiles_areSeenByNobody(@TempDir Path temp) throws IOException {
    Path key = Files.createTempFile(temp, "key", "");
    Files.writeString(key, "a-key-that-lies-in-a-file\n");
    var args = List.of("--data", temp + "/data", "--admin-key-file", key.toString());
    try (var server = ServerProcess.start(Site.JAR, List.of(), args);
        var connection = new HttpConnection(server.port())) {
      String bearer = "Authorization: Bearer a-key-that-lies-in-a-file";
      assertThat(connection.send("GET", "/admin/queues", "", bearer).status()).isEqualTo(200);
      var process = ProcessHandle.of(server.pid()).orElseThrow();
      assertThat(process.info().commandLine().orElse("")).doesNotContain("a-key-that-lies");
      assertThat(server.log()).doesNotContain("a-key-that-lies", "  warning  ");
    }
  }

  @Test
  void secretsThatOthersCanSee_areWarnedOf(@TempDir Path temp) throws IOException {
    Path key = Files.writeString(temp.resolve("key"), "a-key-that-lies-in-a-file\n");
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));
    String data = temp + "/data";
    try (var file =
        ServerProcess.start(
            Site.JAR, List.of(), List.of("--data", data, "--admin-key-file", key.toString()))) {
      assertThat(file.managementPort()).isPositive();
      await().until(() -> file.log().contains("others than its owner may read " + key));
    }
    try (var typed =
        ServerProcess.start(
            Site.JAR, List.of(), List.of("--data", data, "--admin-key", Site.KEY))) {
      await()
          .until(() -> typed.log().contains("--admin-key on the command line is shown to every"));
      assertThat(typed.log()).contains("NARU_ADMIN_KEY").doesNotContain(Site.KEY);
    }
  }

  @Test
  void dataDirectoryThatWasOpen_isClosedAndSaidOnce(@TempDir Path temp) throws IOException {
    Path data = temp.resolve("data");
    var args = List.of("--data", data.toString());
    ServerProcess.start(Site.JAR, List.of(), args).close();
    Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.setPosixFilePermissions(
        data.resolve("ledger.db"), PosixFilePermissions.fromString("rw-r--r--"));

    try (var again = ServerProcess.start(Site.JAR, List.of(), args)) {
      assertThat(again.log())
          .contains(data + " was open to others (rwxr-xr-x) and is now its owner's alone")
          .contains(data.resolve("ledger.db") + " was open to others (rw-r--r--)");
    }
    try (var later = ServerProcess.start(Site.JAR, List.of(), args)) {
      assertThat(later.log()).doesNotContain("open to others");
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
