package io.naru.bench;

import static java.util.Objects.requireNonNull;

import io.naru.bench.load.Load;
import io.naru.bench.report.Json;
import io.naru.bench.report.Progress;
import io.naru.bench.report.Row;
import io.naru.bench.report.Table;
import io.naru.bench.scenario.Pace;
import io.naru.bench.scenario.Scenario;
import io.naru.bench.scenario.Scenarios;
import io.naru.bench.scenario.Stage;
import io.naru.bench.servers.Peer;
import io.naru.bench.servers.Setup;
import io.naru.testkit.RedisBinary;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ./naru bench}. */
@Command(
    name = "naru bench",
    description = {
      "Measures the server, as a process of its own on loopback, and prints one table.",
      "Everything runs on this machine, so compare figures of one run with each other only."
    })
public final class Bench implements Callable<Integer> {

  private static final double BUSY = 1;

  @Option(names = "--help", usageHelp = true, description = "Show this.")
  @SuppressWarnings("UnusedVariable") // picocli looks at it
  private boolean help;

  @Option(names = "--quick", description = "End within two minutes: fewer, shorter rounds.")
  private boolean quick;

  @Option(names = "--connections", description = "Connections of the load (default: 128).")
  private @Nullable Integer connections;

  @Option(names = "--seconds", description = "Length of a round (default: 5; quick: 0.7).")
  private @Nullable Double seconds;

  @Option(names = "--rounds", description = "Rounds each contender has (default: 5; quick: 3).")
  private @Nullable Integer rounds;

  @Option(
      names = "--waiting",
      description = "How many wait where many do (default: 1,000,000; quick: 100,000).")
  private @Nullable Integer waiting;

  @Option(
      names = "--threads",
      description = "Threads of the load (default: ${DEFAULT-VALUE}).",
      defaultValue = "1")
  private int threads;

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "NAME",
      completionCandidates = Names.class,
      description = "Only these of: ${COMPLETION-CANDIDATES}.")
  private List<String> only = List.of();

  @Option(
      names = "--peer",
      paramLabel = "URL",
      description = {
        "Another server to compare with.",
        "For ledger, start it with its database; for the others without."
      })
  private @Nullable URI peer;

  @Option(
      names = "--peer-pid",
      paramLabel = "PID",
      description = "The peer's process, to measure what its viewers cost.")
  private @Nullable Long peerPid;

  @Option(
      names = "--peer-admin-key",
      paramLabel = "KEY",
      description =
          "The peer is a Naru, as of an earlier version: its queues are opened with this.")
  private @Nullable String peerAdminKey;

  @Option(names = "--redis", paramLabel = "URI", description = "A Redis that already runs.")
  private @Nullable URI redis;

  @Option(names = "--json", paramLabel = "FILE", description = "Write the figures there too.")
  private @Nullable Path json;

  @Option(
      names = "--server-jar",
      paramLabel = "FILE",
      description = "The server to measure (default: ${DEFAULT-VALUE}).",
      defaultValue = "server/target/naru.jar")
  private Path jar = Path.of("");

  @Option(
      names = "--site-jar",
      paramLabel = "FILE",
      description = "The Spring application that it protects (default: ${DEFAULT-VALUE}).",
      defaultValue = "examples/concert/target/concert.jar")
  private Path siteJar = Path.of("");

  @Option(
      names = "--jvm-args",
      split = " ",
      paramLabel = "ARGS",
      description = "For the server's JVM (default: ${DEFAULT-VALUE}).",
      defaultValue = "-Xmx2g -XX:+UseCompactObjectHeaders -XX:MaxNewSize=64m")
  private List<String> jvmArgs = List.of();

  @Option(
      names = "--jmh",
      arity = "0..1",
      fallbackValue = ".*",
      paramLabel = "PATTERN",
      description = "Instead run the JMH benchmarks of single classes (all, or those that match).")
  private @Nullable String jmh;

  @Spec private @Nullable CommandSpec spec;

  public static void main(String[] args) {
    // Figures look the same wherever they were taken.
    Locale.setDefault(Locale.ROOT);
    System.exit(run(args));
  }

  static int run(String... args) {
    return new CommandLine(new Bench())
        .setParameterExceptionHandler(
            (e, _) -> {
              System.err.println("naru bench: %s (see --help)".formatted(e.getMessage()));
              return 2;
            })
        .execute(args);
  }

  /** The scenarios there are. */
  private static final class Names implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return Scenarios.ALL.stream().map(Scenario::name).iterator();
    }
  }

  @Override
  public Integer call() throws IOException, RunnerException {
    if (jmh != null) {
      // Quick is for looking whether it runs, not for its figures.
      var options = new OptionsBuilder().include(jmh);
      var _ =
          new Runner((quick ? options.forks(0).measurementIterations(1) : options).build()).run();
      return 0;
    }
    var scenarios = scenarios();
    require(
        Files.isRegularFile(jar),
        "no server at " + jar + ": ./naru bench builds it; or name one with --server-jar");
    var pace = pace();
    var conditions = conditions(pace);
    conditions.forEach((what, how) -> System.err.println(what + ": " + how));
    var rows = new ArrayList<Row>();
    var failed = measure(scenarios, pace, conditions, rows);
    System.out.println();
    conditions.forEach((what, how) -> System.out.println(what + ": " + how));
    System.out.println();
    System.out.print(new Table(rows));
    if (json != null) {
      Files.writeString(json, Json.of(conditions, rows));
    }
    if (!failed.isEmpty()) {
      System.out.println("\nNOT MEASURED TO THE END: " + String.join(", ", failed));
    }
    return failed.isEmpty() ? 0 : 1;
  }

  private List<String> measure(
      List<Scenario> scenarios, Pace pace, Map<String, String> conditions, List<Row> rows) {
    var progress = new Progress(System.err);
    var failed = new ArrayList<String>();
    var setup = new Setup(jar, siteJar, jvmArgs, Optional.ofNullable(redis));
    try (var load = new Load(threads);
        var stage = new Stage(setup, pace, load, peer(), progress)) {
      for (var scenario : scenarios) {
        progress.say("--- " + scenario.name());
        try {
          scenario.run(stage, rows::add);
        } catch (IllegalStateException | UncheckedIOException e) {
          // The others can still be measured; an hour of figures is not thrown away for one.
          progress.say("%s failed: %s".formatted(scenario.name(), e));
          failed.add(scenario.name());
        }
      }
      conditions.putAll(stage.found());
    }
    return failed;
  }

  private List<Scenario> scenarios() {
    var names = String.join(", ", new Names());
    for (var name : only) {
      require(
          Scenarios.ALL.stream().anyMatch(scenario -> scenario.name().equals(name)),
          "--only takes some of %s, not %s".formatted(names, name));
    }
    return Scenarios.ALL.stream()
        .filter(scenario -> only.isEmpty() || only.contains(scenario.name()))
        .toList();
  }

  private Pace pace() {
    var usual = quick ? Pace.QUICK : Pace.FULL;
    try {
      return new Pace(
          connections == null ? usual.connections() : connections,
          seconds == null ? usual.round() : Duration.ofMillis(Math.round(seconds * 1_000)),
          rounds == null ? usual.rounds() : rounds,
          usual.window(),
          usual.windows(),
          usual.starts(),
          waiting == null ? usual.waiting() : waiting,
          usual.lines(),
          usual.queues(),
          usual.oneServer(),
          usual.enough(),
          usual.streams());
    } catch (IllegalArgumentException e) {
      throw new ParameterException(commandLine(), e.getMessage(), e);
    }
  }

  private Optional<Peer> peer() {
    var pid = peerPid == null ? OptionalLong.empty() : OptionalLong.of(peerPid);
    try {
      return Optional.ofNullable(peer)
          .map(uri -> Peer.at(uri, pid, Optional.ofNullable(peerAdminKey)));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(commandLine(), e.getMessage(), e);
    }
  }

  private Map<String, String> conditions(Pace pace) {
    var conditions = new LinkedHashMap<String, String>();
    var busy = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    if (busy > BUSY) {
      conditions.put(
          "Busy", "load average %.1f before the start: figures say little".formatted(busy));
    }
    if (quick) {
      conditions.put("Quick run", "fewer and shorter rounds, shorter lines; not for comparison");
    }
    conditions.put(
        "Machine",
        "%d cores, %s, Java %s"
            .formatted(
                Runtime.getRuntime().availableProcessors(),
                System.getProperty("os.name") + " " + System.getProperty("os.arch"),
                Runtime.version()));
    conditions.put("Redis", redis == null ? RedisBinary.preferInstalled().describe() : "" + redis);
    conditions.put(
        "Load",
        "%d connections, %d thread, median of %d rounds of %.1f s in turns"
            .formatted(pace.connections(), threads, pace.rounds(), pace.round().toMillis() / 1e3));
    conditions.put("Server", "java %s -jar %s".formatted(String.join(" ", jvmArgs), jar));
    if (peer != null) {
      conditions.put("Peer", peer.toString());
    }
    return conditions;
  }

  private void require(boolean condition, String message) {
    if (!condition) {
      throw new ParameterException(commandLine(), message);
    }
  }

  private CommandLine commandLine() {
    return requireNonNull(spec).commandLine();
  }
}
