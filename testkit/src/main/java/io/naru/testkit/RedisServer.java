package io.naru.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A Redis of our own on a free loopback port, keeping nothing on disk unless told so. It ends with
 * this JVM, however that ends.
 */
public final class RedisServer implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final List<String> command;
  private final Path dir;
  private final int port;
  private Process process;

  private RedisServer(List<String> command, Path dir, int port, Process process) {
    this.command = command;
    this.dir = dir;
    this.port = port;
    this.process = process;
  }

  /** Starts Redis and returns once it answers; {@code extraArgs} come last and so win. */
  public static RedisServer start(RedisBinary binary, String... extraArgs) {
    var port = Tether.freePort();
    try {
      var dir = Files.createTempDirectory("naru-redis-");
      var command = new ArrayList<>(List.of(binary.path().toString(), "--port", "" + port));
      command.addAll(List.of("--bind", "127.0.0.1", "--dir", dir.toString()));
      command.addAll(List.of("--save", "", "--appendonly", "no", "--loglevel", "notice"));
      command.addAll(List.of(extraArgs));
      return start(command, dir, port);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + binary.path(), e);
    }
  }

  static RedisServer start(List<String> command, Path dir, int port) throws IOException {
    var server = new RedisServer(command, dir, port, spawn(command, dir));
    try {
      server.awaitAnswer();
    } catch (RuntimeException e) {
      server.close();
      throw e;
    }
    return server;
  }

  private static Process spawn(List<String> command, Path dir) throws IOException {
    var log = ProcessBuilder.Redirect.appendTo(dir.resolve("log").toFile());
    return Tether.command(command).redirectOutput(log).start();
  }

  public int port() {
    return port;
  }

  public String uri() {
    return "redis://127.0.0.1:" + port;
  }

  public long pid() {
    return process.pid();
  }

  /** Opens a plain connection. */
  public RedisConnection connect() {
    try {
      return new RedisConnection(port);
    } catch (IOException e) {
      throw new UncheckedIOException("Redis on port " + port + " does not listen", e);
    }
  }

  /** Starts a replica of it and returns once that is in step. */
  public RedisServer startReplica(RedisBinary binary) {
    var replica = start(binary);
    try {
      // No option: started again after it took over, it would follow a master that is gone.
      replica.ask("REPLICAOF", "127.0.0.1", "" + port);
      Poll.until(
          PATIENCE,
          () -> "the replica does not follow:\n" + replica.log(),
          () -> replica.ask("INFO", "replication").contains("master_link_status:up"));
      return replica;
    } catch (RuntimeException e) {
      replica.close();
      throw e;
    }
  }

  /** Makes this replica a master. */
  public void promote() {
    ask("REPLICAOF", "NO", "ONE");
  }

  private String ask(String... words) {
    try (var redis = connect()) {
      return redis.call(words);
    } catch (IOException e) {
      throw new UncheckedIOException("Redis on port " + port + " does not answer", e);
    }
  }

  /** Ends Redis with SIGKILL, as the kernel's memory killer does. */
  public void kill() {
    Signal.awaitEnd(process.destroyForcibly());
  }

  /**
   * Starts Redis again with the same port, directory and arguments, killing it if it still runs.
   */
  public void restart() {
    kill();
    try {
      process = spawn(command, dir);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot restart Redis on port " + port, e);
    }
    awaitAnswer();
  }

  /**
   * Stops Redis in its tracks. What is sent to it meanwhile stays in its socket, and is carried out
   * after {@link #thaw()} although the sender may have given up.
   */
  public void freeze() {
    Signal.send("STOP", process);
  }

  public void thaw() {
    Signal.send("CONT", process);
  }

  /** What Redis wrote since its first start. */
  public String log() {
    return Folder.log(dir);
  }

  @Override
  public void close() {
    kill();
    Folder.delete(dir);
  }

  private void awaitAnswer() {
    // Loading an append-only file answers PING with an error; an IOException stands for both.
    Poll.until(
        PATIENCE,
        () -> "Redis on port " + port + " does not answer:\n" + log(),
        () -> {
          if (!process.isAlive()) {
            throw new IllegalStateException("Redis has ended:\n" + log());
          }
          try (var redis = new RedisConnection(port)) {
            return redis.call("PING").equals("PONG");
          } catch (IOException e) {
            return false;
          }
        });
  }
}
