package io.naru.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.bench.load.Load;
import io.naru.bench.report.Against;
import io.naru.bench.report.Progress;
import io.naru.bench.report.Row;
import io.naru.bench.servers.Peer;
import io.naru.bench.servers.Setup;
import io.naru.testkit.ServerProcess;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("process")
class ScenariosTest {

  private static final Duration SHORT = Duration.ofMillis(100);
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final StreamPace STREAMS =
      new StreamPace(List.of(5, 10), 5, SECOND, SHORT, 50, SECOND.multipliedBy(5), SHORT);
  private static final Pace PACE =
      new Pace(
          4,
          SHORT,
          1,
          SHORT,
          1,
          1,
          1_000,
          List.of(10, 1_000),
          // The stub has no tables in which many could be made.
          List.of(),
          false,
          Duration.ofHours(1),
          STREAMS);

  @TempDir private Path dir;

  @Test
  void run_eachScenario_hasItsRowsAndNoFailures() throws IOException {
    var stub = stubJar();
    var setup =
        new Setup(
            stub,
            stub,
            List.of(
                "-Xmx64m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dsun.net.httpserver.nodelay=true",
                // It closes idle ones beyond 200, just as somebody sends on them.
                "-Dsun.net.httpserver.maxIdleConnections=2048"),
            Optional.empty());
    var silent = new Progress(new PrintStream(OutputStream.nullOutputStream()));
    var rows = new ArrayList<Row>();
    try (var load = new Load(1);
        var other = ServerProcess.start(setup.jar(), setup.jvmArgs(), List.of());
        var stage = new Stage(setup, PACE, load, Optional.of(peer(other)), silent)) {
      Scenarios.ALL.stream()
          // Counts what a real server says that it brought to a broker.
          .filter(scenario -> !(scenario instanceof KafkaCost))
          // Puts people into the tables of a real server.
          .filter(scenario -> !(scenario instanceof Longest || scenario instanceof TurnsOver))
          .filter(scenario -> !(scenario instanceof FaultsAtSize))
          .forEach(scenario -> scenario.run(stage, rows::add));
    }
    assertThat(rows)
        .filteredOn(row -> !ofGateway(row))
        .extracting(Row::what)
        .containsExactly(
            "start-up until ready",
            "start-up, SQLite, the very first: processor time",
            "start-up, SQLite: processor time",
            "naru bare",
            "naru enter",
            "naru status",
            "naru mixed 1:9",
            "redis ZADD",
            "redis ZRANK",
            "redis mixed 1:9",
            "peer bare",
            "peer enter",
            "peer status",
            "peer mixed 1:9",
            "Redis memory per waiting user",
            "admissions",
            "enter, 10 waiting",
            "enter, 1,000 waiting",
            "status, 10 waiting",
            "status, 1,000 waiting",
            "mixed 1:9, no ledger",
            "mixed 1:9, no ledger, half the rate",
            "of one core, no ledger",
            "mixed 1:9, PostgreSQL",
            "mixed 1:9, PostgreSQL, half the rate",
            "of one core, PostgreSQL",
            "enter, no ledger",
            "enter, SQLite",
            "enter, PostgreSQL",
            "enter, PostgreSQL, 2 servers",
            "status, no ledger",
            "status, PostgreSQL",
            "peer enter, its database",
            "enter, PostgreSQL, half the rate",
            "copy whole after FLUSHALL",
            "admissions, PostgreSQL",
            "enter, one line",
            "enter, ten lanes",
            "status, one line",
            "status, ten lanes",
            "admissions, one line",
            "admissions, ten lanes",
            "bare",
            "status, 2 servers, in memory",
            "status, 2 servers, on Redis",
            "enter, 2 servers, in memory",
            "enter, 2 servers, on Redis",
            "10 consoles, 1,000 waiting",
            "processor time of an enter",
            "the same, 10 consoles open",
            "processor time of an enter, no log",
            "the same, with a log",
            "processor time of an admission, no log",
            "the same, with a log",
            "goes in by itself, best 80/s",
            "requests slower than 500 ms",
            "people at doors, alone",
            "the same, flooded",
            "programs that still owe a proof",
            "copy whole after FLUSHALL, joins going on",
            "enter while the copy heals",
            "connections to PostgreSQL meanwhile",
            "status without Redis",
            "longest enter during an opening, SQLite",
            "draw to every place, SQLite",
            "draw to all in line, SQLite",
            "longest enter during an opening, PostgreSQL",
            "draw to every place, PostgreSQL",
            "draw to all in line, PostgreSQL",
            "verify, 1,000 people",
            "admission to new place, the first 1,000 of 5 viewers",
            "CPU, line moving, 5 viewers",
            "Redis commands, line moving, 5 viewers",
            "Redis commands, line still, 5 viewers",
            "process memory per stream, 10 viewers",
            "first event, 10 viewers",
            "admission to new place, the first 1,000 of 10 viewers",
            "admission to new place, the others of 10 viewers",
            "admission to queue-entered, 10 viewers",
            "CPU, line moving, 10 viewers",
            "CPU, line still, 10 viewers",
            "Redis commands, line moving, 10 viewers",
            "Redis commands, line still, 10 viewers",
            "first event, peer, 10 viewers",
            "CPU, peer, 10 viewers",
            "CPU per 1,000 viewers, of 10 viewers",
            "first event, 10 viewers, SQLite",
            "admission to new place, the first 1,000 of 10 viewers, SQLite",
            "admission to new place, the others of 10 viewers, SQLite",
            "admission to queue-entered, 10 viewers, SQLite",
            "CPU, line moving, 10 viewers, SQLite",
            "CPU, line still, 10 viewers, SQLite",
            "first event, 15 viewers, 3 servers",
            "admission to new place, the first 1,000 of 15 viewers, 3 servers",
            "admission to new place, the others of 15 viewers, 3 servers",
            "admission to queue-entered, 15 viewers, 3 servers",
            "CPU, line moving, 15 viewers, 3 servers",
            "CPU, line still, 15 viewers, 3 servers",
            "Redis commands, line moving, 15 viewers, 3 servers",
            "Redis commands, line still, 15 viewers, 3 servers",
            "mission C: enter",
            "mission C: complete",
            "mission C: protected site",
            "mission C: first event",
            "mission C: last one told",
            "Spring endpoint",
            "Spring endpoint, guarded",
            "bare, beside gate checks",
            "gate check of a pass");
    boolean hasNginx = BoardWatchers.nginx().isPresent();
    assertThat(rows)
        .filteredOn(ScenariosTest::ofGateway)
        .extracting(Row::what)
        .containsExactlyElementsOf(
            hasNginx
                ? List.of(
                    "nginx proxy_pass",
                    "gateway, with a pass",
                    "gateway, after 1,000 requests",
                    "gateway, after twice 10 downloads")
                : List.of());
    assertThat(rows)
        // Two stubs know nothing of each other's people.
        .filteredOn(row -> !row.what().startsWith("status, 2 servers"))
        .extracting(Row::notes)
        .noneMatch(notes -> notes.toString().contains("FAILED"));
    assertThat(rows)
        .filteredOn(row -> row.what().equals("admissions"))
        .first()
        .satisfies(row -> assertThat(row.notes()).contains("1,001 in 2 calls"));
    assertThat(rows)
        .filteredOn(row -> row.ratios().containsKey(Against.PEER))
        .extracting(Row::what)
        .containsExactly(
            "naru enter",
            "naru status",
            "naru mixed 1:9",
            "enter, PostgreSQL",
            "CPU per 1,000 viewers, of 10 viewers");
  }

  private static boolean ofGateway(Row row) {
    return row.what().startsWith("gateway") || row.what().startsWith("nginx");
  }

  private static Peer peer(ServerProcess other) {
    return Peer.at(other.uri(), OptionalLong.of(other.pid()), Optional.empty());
  }

  private Path stubJar() throws IOException {
    var manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, StubNaru.class.getName());
    var jar = dir.resolve("stub.jar");
    var name = StubNaru.class.getName().replace('.', '/') + ".class";
    try (var out = new JarOutputStream(Files.newOutputStream(jar), manifest);
        var in = StubNaru.class.getClassLoader().getResourceAsStream(name)) {
      assertThat(in).isNotNull();
      out.putNextEntry(new JarEntry(name));
      in.transferTo(out);
    }
    return jar;
  }
}
