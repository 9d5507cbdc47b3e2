package io.naru.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.stream.Collectors.joining;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.function.IntSupplier;
import java.util.regex.Pattern;

/**
 * {@code java -jar naru.jar up} as a process of its own, on free ports that are read from what it
 * prints. It ends with this JVM, however that ends.
 */
public final class ServerProcess implements AutoCloseable {

  /**
   * For tests that are the proxy in front of the server, and name visitors in {@code User-Id}. As
   * one option each, so that they can be part of any list.
   */
  public static final List<String> NAMED_VISITORS =
      List.of("--user-header=User-Id", "--trusted-proxies=127.0.0.0/8");

  private static final Pattern ADDRESS = Pattern.compile("http://[^\\s/]+:(\\d+)(/metrics)?");
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** What a whole run of tests starts its servers with; a benchmark says nothing here. */
  static final List<String> JVM_ARGS =
      System.getProperty("naru.server.jvm.args") == null
          ? List.of()
          : List.of(System.getProperty("naru.server.jvm.args").split(" "));

  private final Process process;
  private final BlockingQueue<String> log = new ArrayBlockingQueue<>(10_000);
  private volatile int port;
  private volatile int managementPort;

  private ServerProcess(Process process) {
    this.process = process;
    Thread.ofVirtual().name("server-log-" + process.pid()).start(this::read);
  }

  /** Starts the server and returns once it has printed its address. */
  public static ServerProcess start(Path jar, List<String> jvmArgs, List<String> args) {
    return awaitAddress(launch(jar, jvmArgs, args));
  }

  /**
   * Starts another main class in the server's place, for servers that are wrong on purpose.
   *
   * @param classPath the jar, and where that class is
   */
  public static ServerProcess start(
      List<Path> classPath, String mainClass, List<String> jvmArgs, List<String> args) {
    var path = classPath.stream().map(Path::toString).collect(joining(File.pathSeparator));
    return awaitAddress(launch(List.of(), List.of("-cp", path, mainClass), jvmArgs, args));
  }

  /**
   * Starts the server where no file may grow beyond a size, as on a disk that fills up.
   *
   * @param blocks of 512 bytes
   */
  public static ServerProcess startOnSmallDisk(
      int blocks, Path jar, List<String> jvmArgs, List<String> args) {
    var limited = List.of("/bin/sh", "-c", "ulimit -f " + blocks + "; exec \"$@\"", "limited");
    return awaitAddress(launch(limited, server(jar), jvmArgs, args));
  }

  private static ServerProcess awaitAddress(ServerProcess server) {
    try {
      server.port();
      return server;
    } catch (RuntimeException e) {
      server.close();
      throw e;
    }
  }

  /** Starts the server and returns at once, for starts that are meant to fail or are timed. */
  public static ServerProcess launch(Path jar, List<String> jvmArgs, List<String> args) {
    return launch(List.of(), server(jar), jvmArgs, args);
  }

  /** As the launcher starts it, but for the options given. */
  private static List<String> server(Path jar) {
    var words = new ArrayList<>(StartCache.options(jar));
    words.addAll(List.of("-jar", jar.toString()));
    return words;
  }

  private static ServerProcess launch(
      List<String> before, List<String> what, List<String> jvmArgs, List<String> args) {
    var command = new ArrayList<>(before);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--sun-misc-unsafe-memory-access=allow");
    command.add("-XX:+UseCompactObjectHeaders");
    command.addAll(JVM_ARGS);
    command.addAll(jvmArgs);
    command.addAll(what);
    command.add("up");
    for (var option : List.of("--port", "--management-port")) {
      if (!args.contains(option)) {
        command.addAll(List.of(option, "0"));
      }
    }
    command.addAll(args);
    try {
      return new ServerProcess(Tether.command(command).start());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + command, e);
    }
  }

  private void read() {
    try (var lines = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
      for (var line = lines.readLine(); line != null; line = lines.readLine()) {
        keep(line);
        note(line);
      }
    } catch (IOException e) {
      keep(e.toString());
    }
  }

  private void keep(String line) {
    while (!log.offer(line)) {
      log.poll();
    }
  }

  private void note(String line) {
    var address = ADDRESS.matcher(line);
    while (address.find()) {
      var found = Integer.parseInt(address.group(1));
      if (address.group(2) != null) {
        managementPort = managementPort == 0 ? found : managementPort;
      } else {
        port = port == 0 ? found : port;
      }
    }
  }

  /** The public port; waits until it is printed. */
  public int port() {
    awaitPrinted("address", () -> port);
    return port;
  }

  /** The management port; waits until it is printed. */
  public int managementPort() {
    awaitPrinted("management address", () -> managementPort);
    return managementPort;
  }

  private void awaitPrinted(String what, IntSupplier value) {
    Poll.until(
        PATIENCE,
        () -> "the server prints no " + what + ":\n" + log(),
        () -> {
          if (value.getAsInt() == 0 && !process.isAlive()) {
            throw new IllegalStateException(
                "the server has ended with code " + process.exitValue() + ":\n" + log());
          }
          return value.getAsInt() != 0;
        });
  }

  public URI uri() {
    return URI.create("http://127.0.0.1:" + port());
  }

  public long pid() {
    return process.pid();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** What was printed so far, at most the last 10,000 lines. */
  public String log() {
    return String.join("\n", log);
  }

  /** Stops the server in its tracks; its sockets still take what is sent. */
  public void freeze() {
    Signal.send("STOP", process);
  }

  public void thaw() {
    Signal.send("CONT", process);
  }

  /** Ends the server with SIGKILL. */
  public void kill() {
    process.destroyForcibly();
    exitCode();
  }

  /** Asks the server to end with SIGTERM and returns its exit code. */
  public int terminate() {
    // Process.destroy would also close standard input, and cutting the tether means SIGKILL.
    process.toHandle().destroy();
    return exitCode();
  }

  /** Waits for the server to end by itself and returns its exit code. */
  public int exitCode() {
    try {
      if (!process.waitFor(PATIENCE.toMillis(), MILLISECONDS)) {
        throw new IllegalStateException("server " + process.pid() + " does not end:\n" + log);
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while server " + process.pid() + " ends", e);
    }
  }

  @Override
  public void close() {
    kill();
  }
}
