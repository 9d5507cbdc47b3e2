package io.naru.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The MariaDB of this machine on a free loopback port, with data of its own, which syncs what it
 * commits unless told otherwise. It ends with this JVM, however that ends.
 */
public final class MariaDbServer implements DatabaseServer {

  /** Where one can be had; said wherever one is missed. */
  public static final String HOW =
      "no MariaDB on this machine: install mariadb-server, or set NARU_MARIADB";

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final String DATABASE = "naru";
  private static final String USER = "naru";
  private static final String PASSWORD = "the-password-of-the-tests";

  private final Path dir;
  private final int port;
  private final List<String> settings;
  private final AtomicInteger databases = new AtomicInteger();
  private Process process;

  private MariaDbServer(Path dir, int port, List<String> settings) throws IOException {
    this.dir = dir;
    this.port = port;
    this.settings = settings;
    this.process = spawn();
  }

  /** For a static field of a test class that needs one. */
  public static Program program() {
    return new Program("NARU_DATABASE", find(System.getenv()), HOW);
  }

  /** The program, as the environment names it or on the PATH. */
  public static Optional<Path> find(Map<String, String> environment) {
    return Program.find(environment, "NARU_MARIADB", "mariadbd");
  }

  /**
   * Starts MariaDB and returns once it takes connections.
   *
   * @param settings as {@code sync_binlog=0}; they come last and so win
   */
  public static MariaDbServer start(String... settings) {
    try {
      var dir = Files.createTempDirectory("naru-mariadb-");
      Prepared.copy(data(Initialized.DIR), dir);
      Files.createDirectory(temporary(dir));
      writeInit(dir);
      var server = new MariaDbServer(dir, Tether.freePort(), List.of(settings));
      try {
        server.awaitReady();
        return server;
      } catch (RuntimeException e) {
        server.close();
        throw e;
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start MariaDB", e);
    }
  }

  /** One server for all tests of this JVM that leave it alone; each takes a {@link #fresh()}. */
  public static MariaDbServer shared() {
    Tether.allow();
    return Shared.SERVER;
  }

  private static final class Shared {
    static final MariaDbServer SERVER = start();

    static {
      Runtime.getRuntime().addShutdownHook(new Thread(SERVER::close));
    }
  }

  private static Path mariaDb() {
    return find(System.getenv()).orElseThrow(() -> new IllegalStateException(HOW));
  }

  /** Carried out at each start, before anybody can connect. */
  private static void writeInit(Path dir) throws IOException {
    Files.writeString(
        dir.resolve("init.sql"),
        """
        CREATE DATABASE IF NOT EXISTS %1$s;
        CREATE USER IF NOT EXISTS %2$s IDENTIFIED BY '%3$s';
        GRANT ALL ON *.* TO %2$s WITH GRANT OPTION;
        """
            .formatted(DATABASE, USER, PASSWORD));
  }

  /** What every server begins with: making it takes ten times as long as copying it. */
  private static final class Initialized {
    private static final List<String> ARGS =
        List.of("--skip-test-db", "--auth-root-authentication-method=normal");

    static final Path DIR = find();

    private static Path find() {
      try {
        var program = mariaDb();
        var how = List.of(Files.getLastModifiedTime(program), common(program), ARGS).hashCode();
        return Prepared.folder("mariadb-data-%08x".formatted(how), Initialized::make);
      } catch (IOException e) {
        throw new UncheckedIOException("cannot initialize MariaDB", e);
      }
    }

    private static void make(Path dir) throws IOException {
      Files.createDirectory(temporary(dir));
      var args = new ArrayList<>(List.of("mariadb-install-db"));
      args.addAll(common(dir));
      args.addAll(ARGS);
      var install =
          new ProcessBuilder(args)
              .redirectErrorStream(true)
              .redirectOutput(dir.resolve("log").toFile())
              .start();
      Signal.awaitEnd(install);
      if (install.exitValue() != 0) {
        throw new IllegalStateException("mariadb-install-db fails:\n" + Folder.log(dir));
      }
    }
  }

  private static List<String> common(Path dir) {
    return List.of(
        "--no-defaults",
        // It does not run as root unless that is what it is told.
        "--user=" + System.getProperty("user.name"),
        "--datadir=" + data(dir),
        // One that starts empties the folder for what is temporary, and ends others that use it.
        "--tmpdir=" + temporary(dir),
        "--innodb-log-file-size=16M");
  }

  private static Path temporary(Path dir) {
    return dir.resolve("tmp");
  }

  private static Path data(Path dir) {
    return dir.resolve("data");
  }

  private Process spawn() throws IOException {
    var command = new ArrayList<>(List.of(mariaDb().toString()));
    command.addAll(common(dir));
    command.addAll(
        List.of(
            "--bind-address=127.0.0.1",
            "--port=" + port,
            "--socket=" + dir.resolve("socket"),
            "--pid-file=" + dir.resolve("pid"),
            "--init-file=" + dir.resolve("init.sql"),
            "--skip-name-resolve",
            "--innodb-buffer-pool-size=64M"));
    settings.forEach(setting -> command.add("--" + setting));
    var log = ProcessBuilder.Redirect.appendTo(dir.resolve("log").toFile());
    return Tether.command(command).redirectOutput(log).start();
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
    return "jdbc:mariadb://127.0.0.1:" + port + "/" + database;
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

  /** Ends MariaDB at once, as losing its machine would. */
  @Override
  public void kill() {
    Signal.awaitEnd(process.destroyForcibly());
  }

  /** Starts MariaDB again with the same port and data, killing it if it still runs. */
  @Override
  public void restart() {
    kill();
    try {
      process = spawn();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot restart MariaDB on port " + port, e);
    }
    awaitReady();
  }

  /** Stops MariaDB in its tracks; what is sent to it meanwhile stays in its sockets. */
  @Override
  public void freeze() {
    Signal.send("STOP", process);
  }

  @Override
  public void thaw() {
    Signal.send("CONT", process);
  }

  /** What MariaDB wrote since its first start. */
  public String log() {
    return Folder.log(dir);
  }

  /** Nobody will miss what it has not written yet. */
  @Override
  public void close() {
    kill();
    Folder.delete(dir);
  }

  private void awaitReady() {
    Poll.until(
        PATIENCE,
        () -> "MariaDB on port " + port + " is not ready:\n" + log(),
        () -> {
          if (!process.isAlive()) {
            throw new IllegalStateException("MariaDB has ended:\n" + log());
          }
          return isReady();
        });
  }

  /** Its own word whose data it has: another one may have taken the port, and answer as well. */
  private boolean isReady() {
    try (var connection = connect();
        var statement = connection.createStatement();
        var answer = statement.executeQuery("SELECT @@datadir")) {
      answer.next();
      return Path.of(answer.getString(1)).equals(dir.resolve("data"));
    } catch (SQLException e) {
      return false;
    }
  }
}
