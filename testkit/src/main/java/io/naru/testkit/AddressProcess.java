package io.naru.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A program on Java that listens on a free port and prints the address. It ends with this JVM,
 * however that ends.
 */
public final class AddressProcess implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Pattern ADDRESS = Pattern.compile("https?://[^\\s/]+:(\\d+)");

  private final Process process;
  private final Path dir;
  private final int port;

  private AddressProcess(Process process, Path dir) {
    this.process = process;
    this.dir = dir;
    this.port = awaitPort();
  }

  /** {@code naru gateway}, in front of a site. */
  public static AddressProcess gateway(Path jar, List<String> jvmArgs, List<String> args) {
    var words = new ArrayList<>(jvmArgs);
    words.addAll(StartCache.options(jar));
    words.addAll(List.of("-jar", jar.toString(), "gateway"));
    if (!args.contains("--port")) {
      words.addAll(List.of("--port", "0"));
    }
    words.addAll(args);
    return start(words);
  }

  /** The JDK's own {@code jwebserver}: a site that is a folder. */
  public static AddressProcess folder(Path folder) {
    return start(
        List.of("-m", "jdk.httpserver", "-b", "127.0.0.1", "-p", "0", "-d", folder.toString()));
  }

  /**
   * Starts it and returns once it has printed its address.
   *
   * @param words what stands behind {@code java}
   */
  static AddressProcess start(List<String> words) {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:+UseCompactObjectHeaders");
    command.addAll(ServerProcess.JVM_ARGS);
    command.addAll(words);
    try {
      var dir = Files.createTempDirectory("naru-process-");
      var process = Tether.command(command).redirectOutput(dir.resolve("log").toFile()).start();
      try {
        return new AddressProcess(process, dir);
      } catch (RuntimeException e) {
        Signal.awaitEnd(process.destroyForcibly());
        Folder.delete(dir);
        throw e;
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + command, e);
    }
  }

  private int awaitPort() {
    Poll.until(
        PATIENCE,
        () -> "it prints no address:\n" + log(),
        () -> {
          if (!process.isAlive()) {
            throw new IllegalStateException("it has ended:\n" + log());
          }
          return ADDRESS.matcher(log()).find();
        });
    var found = ADDRESS.matcher(log());
    return found.find() ? Integer.parseInt(found.group(1)) : 0;
  }

  public int port() {
    return port;
  }

  public URI uri() {
    return URI.create("http://127.0.0.1:" + port);
  }

  public long pid() {
    return process.pid();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** Stops it in its tracks; its sockets still take what is sent. */
  public void freeze() {
    Signal.send("STOP", process);
  }

  public void thaw() {
    Signal.send("CONT", process);
  }

  /** Ends it with SIGKILL. */
  public void kill() {
    Signal.awaitEnd(process.destroyForcibly());
  }

  /** Asks it to end with SIGTERM and returns its exit code. */
  public int terminate() {
    // Not destroy(), which would cut the tether and kill it.
    process.toHandle().destroy();
    Signal.awaitEnd(process);
    return process.exitValue();
  }

  /** What it has printed. */
  public String log() {
    return Folder.log(dir);
  }

  @Override
  public void close() {
    kill();
    Folder.delete(dir);
  }
}
