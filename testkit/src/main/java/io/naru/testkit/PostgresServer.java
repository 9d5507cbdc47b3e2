package io.naru.testkit;

import static java.util.Objects.requireNonNull;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * A PostgreSQL of our own on a free loopback port, which syncs what it commits unless told
 * otherwise. It ends with this JVM, however that ends.
 */
public final class PostgresServer implements DatabaseServer {

  /** Where one with all its programs can be had; said wherever one is missed. */
  public static final String HOW =
      "no PostgreSQL with pg_dump on this machine: install postgresql, or set NARU_POSTGRES";

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final String DATABASE = "postgres";
  private static final String USER = "naru";
  private static final String PASSWORD = "the-password-of-the-tests";

  /** Where Debian has the programs of each version, of which it puts only some on the PATH. */
  private static final String DEBIAN = "/usr/lib/postgresql";

  private final PostgresBinaries binaries;
  private final Path dir;
  private final int port;
  private final List<String> settings;
  private final AtomicInteger databases = new AtomicInteger();
  private Process process;

  private PostgresServer(
      PostgresBinaries binaries, Path dir, int port, List<String> settings, Process process) {
    this.binaries = binaries;
    this.dir = dir;
    this.port = port;
    this.settings = settings;
    this.process = process;
  }

  /**
   * Starts PostgreSQL and returns once it takes connections.
   *
   * @param settings as {@code fsync=off}; they come last and so win
   */
  public static PostgresServer start(String... settings) {
    return start(PostgresBinaries.embedded(), settings);
  }

  /**
   * The same with the PostgreSQL of this machine, which comes with what the other one lacks: {@link
   * #environment()} is for those programs.
   */
  public static PostgresServer startInstalled(String... settings) {
    var program = find(System.getenv()).orElseThrow(() -> new IllegalStateException(HOW));
    return start(new PostgresBinaries(requireNonNull(program.getParent())), settings);
  }

  /** For a static field of a test class that needs the PostgreSQL of this machine. */
  public static Program program() {
    return new Program("NARU_DATABASE", find(System.getenv()), HOW);
  }

  /** As the environment names it, on the PATH, or where Debian has it: the newest there. */
  static Optional<Path> find(Map<String, String> environment) {
    return Program.find(environment, "NARU_POSTGRES", "postgres")
        .filter(PostgresServer::hasPrograms)
        .or(() -> newestIn(Path.of(environment.getOrDefault("NARU_POSTGRES_DIR", DEBIAN))));
  }

  private static boolean hasPrograms(Path postgres) {
    return Files.isExecutable(postgres) && Files.isExecutable(postgres.resolveSibling("pg_dump"));
  }

  private static Optional<Path> newestIn(Path folder) {
    if (!Files.isDirectory(folder)) {
      return Optional.empty();
    }
    try (var versions = Files.newDirectoryStream(folder, "[0-9][0-9]")) {
      return StreamSupport.stream(versions.spliterator(), /* parallel= */ false)
          .map(version -> version.resolve("bin/postgres"))
          .filter(PostgresServer::hasPrograms)
          .max(Comparator.naturalOrder());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot look into " + folder, e);
    }
  }

  private static PostgresServer start(PostgresBinaries binaries, String... settings) {
    try {
      var dir = newFolder();
      Prepared.copy(data(Initialized.with(binaries)), dir);
      return launch(binaries, dir, settings);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start PostgreSQL", e);
    }
  }

  private static PostgresServer launch(PostgresBinaries binaries, Path dir, String... settings)
      throws IOException {
    var port = Tether.freePort();
    var own = new ArrayList<>(List.of(settings));
    var server = new PostgresServer(binaries, dir, port, own, spawn(binaries, dir, port, own));
    try {
      server.awaitReady();
      return server;
    } catch (RuntimeException e) {
      server.close();
      throw e;
    }
  }

  private static Path newFolder() throws IOException {
    var dir = Files.createTempDirectory("naru-postgres-");
    PostgresBinaries.handOver(dir);
    return dir;
  }

  /**
   * Starts a standby of this server, which is stopped and started for that.
   *
   * @param reachedAt the port at which the standby reaches this server
   * @param isAwaited whether from now on a commit waits here until the standby has it too
   */
  PostgresServer startStandby(int reachedAt, boolean isAwaited) {
    try {
      // The artifact has no pg_basebackup; what lies still can be copied.
      Signal.send("INT", process);
      Signal.awaitEnd(process);
      var copy = newFolder();
      Prepared.copy(data(dir), copy);
      PostgresBinaries.handOver(Files.createFile(data(copy).resolve("standby.signal")));
      if (isAwaited) {
        settings.add("synchronous_standby_names=standby");
      }
      restart();
      var primary =
          "host=127.0.0.1 port=%d user=%s password=%s application_name=standby"
              .formatted(reachedAt, USER, PASSWORD);
      return launch(
          binaries, copy, "primary_conninfo=" + primary, "wal_retrieve_retry_interval=100ms");
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start a standby of PostgreSQL", e);
    }
  }

  /** Starts a standby of this server, as above, that is waited for and reaches it directly. */
  public PostgresServer startStandby() {
    return startStandby(port, true);
  }

  /** Waits until commits wait for the standby, as they do some time after a restart. */
  public void awaitStandby() {
    awaitStandby("sync");
  }

  /**
   * Waits until there is a standby of that kind.
   *
   * @param kind {@code sync} if commits wait for it, else {@code async}
   */
  void awaitStandby(String kind) {
    String question =
        "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = '"
            + kind
            + "'";
    Poll.until(PATIENCE, () -> "no standby follows:\n" + log(), () -> asks(question) == 1);
  }

  /** The number that answers a question. */
  long asks(String question) {
    try (var connection = connect();
        var statement = connection.createStatement();
        var answer = statement.executeQuery(question)) {
      answer.next();
      return answer.getLong(1);
    } catch (SQLException e) {
      throw new IllegalStateException("PostgreSQL does not answer:\n" + log(), e);
    }
  }

  /** Makes this standby a primary, which waits for nobody. */
  public void promote() {
    try (var connection = connect();
        var statement = connection.createStatement()) {
      statement.execute("SELECT pg_promote()");
    } catch (SQLException e) {
      throw new IllegalStateException("the standby is not promoted:\n" + log(), e);
    }
  }

  /** Starts it again, and no commit waits for a standby any more. */
  void restartAlone() {
    settings.removeIf(setting -> setting.startsWith("synchronous_standby_names"));
    restart();
  }

  /** One server for all tests of this JVM that leave it alone; each takes a {@link #fresh()}. */
  public static PostgresServer shared() {
    Tether.allow();
    return Shared.SERVER;
  }

  private static final class Shared {
    static final PostgresServer SERVER = start();

    static {
      Runtime.getRuntime().addShutdownHook(new Thread(SERVER::close));
    }
  }

  /** What every server begins with: making it takes ten times as long as copying it. */
  private static final class Initialized {
    private static final List<String> ARGS =
        List.of(
            // It need not survive a power cut, only what is committed later pretends to.
            "--no-sync",
            "--no-locale",
            "--encoding=UTF8",
            "--auth=scram-sha-256",
            "--username=" + USER);

    /**
     * The usual 4096 are two thirds of what a connection costs its client, and tests make
     * thousands. PostgreSQL 15 does not know it yet.
     */
    private static final List<String> QUICK = List.of("-c", "scram_iterations=1");

    private static final Map<PostgresBinaries, Path> DIRS = new ConcurrentHashMap<>();

    static Path with(PostgresBinaries binaries) {
      return DIRS.computeIfAbsent(binaries, Initialized::find);
    }

    private static Path find(PostgresBinaries binaries) {
      var args = new ArrayList<>(ARGS);
      if (binaries.equals(PostgresBinaries.embedded())) {
        args.addAll(QUICK);
      }
      try {
        var program = Files.getLastModifiedTime(binaries.bin().resolve("postgres"));
        var how = List.of(binaries.command("initdb", args), program, PASSWORD).hashCode();
        return Prepared.folder(
            "postgres-data-%08x".formatted(how), dir -> make(binaries, args, dir));
      } catch (IOException e) {
        throw new UncheckedIOException("cannot initialize PostgreSQL", e);
      }
    }

    private static void make(PostgresBinaries binaries, List<String> how, Path dir)
        throws IOException {
      PostgresBinaries.handOver(dir);
      var password = Files.writeString(dir.resolve("password"), PASSWORD);
      password.toFile().setReadable(true, false);
      var args = new ArrayList<>(how);
      args.addAll(List.of("--pwfile=" + password, "-D", data(dir).toString()));
      var initdb =
          new ProcessBuilder(binaries.command("initdb", args))
              .redirectErrorStream(true)
              .redirectOutput(logOf(dir).toFile())
              .start();
      Signal.awaitEnd(initdb);
      if (initdb.exitValue() != 0) {
        throw new IllegalStateException("initdb fails:\n" + Files.readString(logOf(dir)));
      }
    }
  }

  private static Process spawn(PostgresBinaries binaries, Path dir, int port, List<String> settings)
      throws IOException {
    var log = ProcessBuilder.Redirect.appendTo(logOf(dir).toFile());
    var command = binaries.command("postgres", args(dir, port, settings));
    return Tether.command(command).redirectOutput(log).start();
  }

  private static List<String> args(Path dir, int port, List<String> settings) {
    var args = new ArrayList<>(List.of("-D", data(dir).toString(), "-p", "" + port));
    var own =
        List.of(
            "listen_addresses=127.0.0.1",
            "unix_socket_directories=",
            // Among its own files, so that nothing of it is left in /dev/shm once it was killed.
            "dynamic_shared_memory_type=mmap",
            "fsync=on",
            "synchronous_commit=on");
    for (var setting : own) {
      args.addAll(List.of("-c", setting));
    }
    for (var setting : settings) {
      args.addAll(List.of("-c", setting));
    }
    return args;
  }

  private static Path data(Path dir) {
    return dir.resolve("data");
  }

  private static Path logOf(Path dir) {
    return dir.resolve("log");
  }

  @Override
  public int port() {
    return port;
  }

  /** The JDBC address of a database that is there from the start. */
  @Override
  public String url() {
    return url(DATABASE);
  }

  private String url(String database) {
    return "jdbc:postgresql://127.0.0.1:" + port + "/" + database;
  }

  /** Creates an empty database and returns its JDBC address. */
  public String fresh() {
    var name = "fresh_" + databases.incrementAndGet();
    try (var connection = connect();
        var statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE " + name);
      return url(name);
    } catch (SQLException e) {
      throw new IllegalStateException("cannot create " + name + "\n" + log(), e);
    }
  }

  @Override
  public String user() {
    return USER;
  }

  @Override
  public String password() {
    return PASSWORD;
  }

  /** With which the programs beside this one find it, and nothing else. */
  public Map<String, String> environment() {
    return Map.of(
        "PATH",
        binaries.bin() + File.pathSeparator + System.getenv("PATH"),
        "PGHOST",
        "127.0.0.1",
        "PGPORT",
        "" + port,
        "PGUSER",
        USER,
        "PGPASSWORD",
        PASSWORD);
  }

  /** The JDBC address of one of its databases. */
  public String urlOf(String database) {
    return url(database);
  }

  /** Opens a plain connection to the database of {@link #url()}. */
  @Override
  public Connection connect() throws SQLException {
    return connect(url());
  }

  /** Opens a plain connection to one of this server's databases. */
  public Connection connect(String url) throws SQLException {
    return DriverManager.getConnection(url, USER, PASSWORD);
  }

  @Override
  public long pid() {
    return process.pid();
  }

  /** Ends PostgreSQL with all its processes at once, as losing its machine would. */
  @Override
  public void kill() {
    if (process.isAlive()) {
      // Frozen first: what is stopped neither forks nor finishes what it was at.
      Signal.send("STOP", process);
      var family = family();
      Signal.send("KILL", family);
      Poll.until(
          PATIENCE,
          () -> "PostgreSQL does not end:\n" + log(),
          () -> family.stream().noneMatch(ProcessHandle::isAlive));
    }
    Signal.awaitEnd(process);
  }

  /** Starts PostgreSQL again with the same port and data, killing it if it still runs. */
  @Override
  public void restart() {
    kill();
    try {
      process = spawn(binaries, dir, port, settings);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot restart PostgreSQL on port " + port, e);
    }
    awaitReady();
  }

  /** Stops all of PostgreSQL in its tracks; what is sent to it meanwhile stays in its sockets. */
  @Override
  public void freeze() {
    Signal.send("STOP", process);
    Signal.send("STOP", family());
  }

  @Override
  public void thaw() {
    Signal.send("CONT", family());
  }

  /** The postmaster and its processes, without what tethers them to this JVM. */
  private List<ProcessHandle> family() {
    var postgres =
        process.descendants().filter(it -> it.info().command().orElse("").endsWith("/postgres"));
    return Stream.concat(Stream.of(process.toHandle()), postgres).toList();
  }

  /** What PostgreSQL wrote since its first start. */
  public String log() {
    try {
      return Files.readString(logOf(dir));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    if (process.isAlive()) {
      // Its fastest way to end that also gives its shared memory back.
      Signal.send("CONT", family());
      Signal.send("QUIT", process);
      Signal.awaitEnd(process);
    }
    Folder.delete(dir);
  }

  private void awaitReady() {
    Poll.until(
        PATIENCE,
        () -> "PostgreSQL on port " + port + " is not ready:\n" + log(),
        () -> {
          if (!process.isAlive()) {
            throw new IllegalStateException("PostgreSQL has ended:\n" + log());
          }
          return isReady();
        });
  }

  // The postmaster's own word, in the file that says who owns the data: its process id in the first
  // line, how far it is in the eighth.
  private boolean isReady() {
    try {
      var lines = Files.readAllLines(data(dir).resolve("postmaster.pid"));
      return lines.size() >= 8
          && lines.getFirst().strip().equals("" + pid())
          && List.of("ready", "standby").contains(lines.get(7).strip());
    } catch (IOException e) {
      return false;
    }
  }
}
