package io.naru.testkit;

import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Three Redis masters on loopback that share the slots. */
public final class RedisCluster implements AutoCloseable {

  private static final int MASTERS = 3;
  private static final int SLOTS = 16_384;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final List<RedisServer> nodes;

  private RedisCluster(List<RedisServer> nodes) {
    this.nodes = nodes;
  }

  /** Starts the cluster and returns once every node calls it complete. */
  public static RedisCluster start(RedisBinary binary, String... extraArgs) {
    var cluster = new RedisCluster(new ArrayList<>());
    try {
      var busPorts = new ArrayList<Integer>();
      for (int i = 0; i < MASTERS; i++) {
        var busPort = Tether.freePort();
        busPorts.add(busPort);
        cluster.nodes.add(RedisServer.start(binary, nodeArgs(busPort, extraArgs)));
      }
      cluster.join(busPorts);
      return cluster;
    } catch (IOException e) {
      cluster.close();
      throw new UncheckedIOException("cannot join the Redis nodes to a cluster", e);
    } catch (RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  private static String[] nodeArgs(int busPort, String... extraArgs) {
    // The usual bus port is 10,000 above the other, which a free port need not leave room for.
    var args = new ArrayList<>(List.of("--cluster-enabled", "yes", "--cluster-port", "" + busPort));
    args.addAll(List.of("--cluster-node-timeout", "2000"));
    args.addAll(List.of(extraArgs));
    return args.toArray(String[]::new);
  }

  private void join(List<Integer> busPorts) throws IOException {
    for (int i = 0; i < MASTERS; i++) {
      try (var redis = nodes.get(i).connect()) {
        var first = "" + SLOTS * i / MASTERS;
        var last = "" + (SLOTS * (i + 1) / MASTERS - 1);
        redis.call("CLUSTER", "SET-CONFIG-EPOCH", "" + (i + 1));
        redis.call("CLUSTER", "ADDSLOTSRANGE", first, last);
        for (int other = 0; other < i; other++) {
          var port = "" + nodes.get(other).port();
          redis.call("CLUSTER", "MEET", "127.0.0.1", port, "" + busPorts.get(other));
        }
      }
    }
    for (var node : nodes) {
      Poll.until(PATIENCE, () -> "cluster is not complete:\n" + node.log(), () -> knowsAll(node));
    }
  }

  private static boolean knowsAll(RedisServer node) {
    try (var redis = node.connect()) {
      var info = redis.call("CLUSTER", "INFO");
      return info.contains("cluster_state:ok") && info.contains("cluster_size:" + MASTERS);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public List<RedisServer> nodes() {
    return List.copyOf(nodes);
  }

  public String uri() {
    return nodes.stream()
        .map(node -> "127.0.0.1:" + node.port())
        .collect(joining(",", "redis-cluster://", ""));
  }

  @Override
  public void close() {
    nodes.forEach(RedisServer::close);
  }
}
