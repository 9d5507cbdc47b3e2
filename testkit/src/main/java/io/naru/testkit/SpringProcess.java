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
 * A Spring Boot application as a process of its own, on a free port that is read from what it
 * prints. It ends with this JVM, however that ends.
 */
public final class SpringProcess implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");

  private final Process process;
  private final Path dir;
  private final int port;

  private SpringProcess(Process process, Path dir) {
    this.process = process;
    this.dir = dir;
    this.port = awaitPort();
  }

  /**
   * Starts the application in an empty directory and returns once it takes connections.
   *
   * @param args as {@code --spring.datasource.url=…}
   */
  public static SpringProcess start(Path jar, List<String> args) {
    var java = Path.of(System.getProperty("java.home"), "bin", "java");
    var command = new ArrayList<>(List.of(java.toString(), "-Xmx256m"));
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-jar", jar.toAbsolutePath().toString()));
    command.add("--server.port=0");
    command.addAll(args);
    try {
      var dir = Files.createTempDirectory("naru-spring-");
      var process =
          Tether.command(command)
              .directory(dir.toFile())
              .redirectOutput(dir.resolve("log").toFile())
              .start();
      try {
        return new SpringProcess(process, dir);
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
        () -> "the application does not start:\n" + log(),
        () -> {
          if (!process.isAlive()) {
            throw new IllegalStateException("the application has ended:\n" + log());
          }
          return PORT.matcher(log()).find();
        });
    var found = PORT.matcher(log());
    return found.find() ? Integer.parseInt(found.group(1)) : 0;
  }

  public int port() {
    return port;
  }

  public URI uri() {
    return URI.create("http://127.0.0.1:" + port);
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** Ends the application with SIGKILL. */
  public void kill() {
    Signal.awaitEnd(process.destroyForcibly());
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
