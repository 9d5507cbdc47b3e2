package io.naru.testkit;

import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** Three Redis masters on loopback that share the slots, and replicas where they are wanted. */
public final class RedisCluster implements AutoCloseable {

  private static final int MASTERS = 3;
  private static final int SLOTS = 16_384;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final RedisBinary binary;
  private final List<RedisServer> nodes = new CopyOnWriteArrayList<>();

  private RedisCluster(RedisBinary binary) {
    this.binary = binary;
  }

  /** Starts the cluster and returns once every node calls it complete. */
  public static RedisCluster start(RedisBinary binary, String... extraArgs) {
    var cluster = new RedisCluster(binary);
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

  /** Starts another node that follows this one, and takes its place when it is gone. */
  public RedisServer addReplicaOf(RedisServer master) {
    var busPort = Tether.freePort();
    var replica = RedisServer.start(binary, nodeArgs(busPort));
    nodes.add(replica);
    try (var redis = replica.connect();
        var of = master.connect()) {
      of.call("CLUSTER", "MEET", "127.0.0.1", "" + replica.port(), "" + busPort);
      var id = of.call("CLUSTER", "MYID");
      Poll.until(
          PATIENCE,
          () -> "the replica is not known:\n" + replica.log(),
          () -> isDone(redis, "CLUSTER", "REPLICATE", id));
      Poll.until(
          PATIENCE,
          () -> "the replica does not follow:\n" + replica.log(),
          () -> ask(replica, "INFO", "replication").contains("master_link_status:up"));
      return replica;
    } catch (IOException e) {
      throw new UncheckedIOException("no replica of " + master.port(), e);
    }
  }

  /** Who has the slot of this key now; empty while nobody has. */
  public Optional<RedisServer> ownerOf(String key) {
    return nodes.stream().filter(node -> has(node, key)).findFirst();
  }

  private static boolean has(RedisServer node, String key) {
    try (var redis = new RedisConnection(node.port())) {
      redis.call("EXISTS", key);
      return redis.call("ROLE").startsWith("master");
    } catch (IOException e) {
      // Gone, or MOVED to another.
      return false;
    }
  }

  /**
   * Moves the slot of this key to that node, as an operator does who makes room: key by key, while
   * it is in use. Says how many keys that were.
   */
  public int moveSlot(String key, RedisServer to) {
    var from = ownerOf(key).orElseThrow();
    var moved = 0;
    try (var source = from.connect();
        var target = to.connect()) {
      var slot = source.call("CLUSTER", "KEYSLOT", key);
      var sourceId = source.call("CLUSTER", "MYID");
      var targetId = target.call("CLUSTER", "MYID");
      target.call("CLUSTER", "SETSLOT", slot, "IMPORTING", sourceId);
      source.call("CLUSTER", "SETSLOT", slot, "MIGRATING", targetId);
      for (var keys = keysIn(source, slot); !keys.isEmpty(); keys = keysIn(source, slot)) {
        var migrate = new ArrayList<>(List.of("MIGRATE", "127.0.0.1", "" + to.port(), "", "0"));
        migrate.addAll(List.of("5000", "KEYS"));
        migrate.addAll(keys);
        source.call(migrate.toArray(String[]::new));
        moved += keys.size();
      }
      target.call("CLUSTER", "SETSLOT", slot, "NODE", targetId);
      source.call("CLUSTER", "SETSLOT", slot, "NODE", targetId);
      return moved;
    } catch (IOException e) {
      throw new UncheckedIOException("the slot of " + key + " is not moved", e);
    }
  }

  private static List<String> keysIn(RedisConnection redis, String slot) throws IOException {
    var keys = redis.call("CLUSTER", "GETKEYSINSLOT", slot, "3");
    return keys.isEmpty() ? List.of() : List.of(keys.split("\n", -1));
  }

  private static boolean isDone(RedisConnection redis, String... words) {
    try {
      return redis.call(words).equals("OK");
    } catch (IOException e) {
      return false;
    }
  }

  private static String ask(RedisServer node, String... words) {
    try (var redis = node.connect()) {
      return redis.call(words);
    } catch (IOException e) {
      throw new UncheckedIOException("Redis on port " + node.port() + " does not answer", e);
    }
  }

  public List<RedisServer> nodes() {
    return List.copyOf(nodes);
  }

  public String uri() {
    return nodes.stream()
        .limit(MASTERS)
        .map(node -> "127.0.0.1:" + node.port())
        .collect(joining(",", "redis-cluster://", ""));
  }

  @Override
  public void close() {
    nodes.forEach(RedisServer::close);
  }
}
