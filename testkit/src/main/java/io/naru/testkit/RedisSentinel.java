package io.naru.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A master, its replica, and one Sentinel that promotes the replica when the master has been silent
 * for a second.
 */
public final class RedisSentinel implements AutoCloseable {

  private static final String NAME = "naru";
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final List<RedisServer> started = new ArrayList<>();

  private RedisSentinel() {}

  /** Starts all three and returns once the Sentinel knows a replica that it could promote. */
  public static RedisSentinel start(RedisBinary binary, String... extraArgs) {
    var all = new RedisSentinel();
    try {
      var args = new ArrayList<>(List.of("--repl-diskless-sync-delay", "0"));
      args.addAll(List.of(extraArgs));
      all.started.add(RedisServer.start(binary, args.toArray(String[]::new)));
      args.addAll(List.of("--replicaof", "127.0.0.1 " + all.master().port()));
      all.started.add(RedisServer.start(binary, args.toArray(String[]::new)));
      all.started.add(startSentinel(binary, all.master().port()));
      all.awaitReplica();
      return all;
    } catch (IOException e) {
      all.close();
      throw new UncheckedIOException("cannot start a Sentinel", e);
    } catch (RuntimeException e) {
      all.close();
      throw e;
    }
  }

  private static RedisServer startSentinel(RedisBinary binary, int master) throws IOException {
    var port = Tether.freePort();
    var dir = Files.createTempDirectory("naru-sentinel-");
    var config = dir.resolve("sentinel.conf");
    Files.write(config, config(dir, port, master));
    var command = List.of(binary.path().toString(), config.toString(), "--sentinel");
    return RedisServer.start(command, dir, port);
  }

  // A file and not arguments: Sentinel writes what it learns into its configuration.
  private static List<String> config(Path dir, int port, int master) {
    return List.of(
        "port " + port,
        "bind 127.0.0.1",
        "dir " + dir,
        "sentinel monitor %s 127.0.0.1 %d 1".formatted(NAME, master),
        "sentinel down-after-milliseconds %s 1000".formatted(NAME),
        "sentinel failover-timeout %s 5000".formatted(NAME));
  }

  private void awaitReplica() {
    Poll.until(
        PATIENCE,
        () -> "Sentinel finds no replica:\n" + started.getLast().log(),
        () -> ask("SENTINEL", "REPLICAS", NAME).contains("master-link-status\nok"));
  }

  /** The Redis that was the master at the start. */
  public RedisServer master() {
    return started.get(0);
  }

  public RedisServer replica() {
    return started.get(1);
  }

  /** The port of the Redis that is the master now. */
  public int masterPort() {
    var address = ask("SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME);
    return Integer.parseInt(address.substring(address.indexOf('\n') + 1));
  }

  private String ask(String... words) {
    try (var sentinel = started.getLast().connect()) {
      return sentinel.call(words);
    } catch (IOException e) {
      throw new UncheckedIOException("Sentinel does not answer", e);
    }
  }

  public String uri() {
    return "redis-sentinel://127.0.0.1:" + started.getLast().port() + "/0#" + NAME;
  }

  @Override
  public void close() {
    started.reversed().forEach(RedisServer::close);
  }
}
