package io.naru.testkit;

import io.naru.testkit.FaultProxy.Way;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A master and its replica behind one address. What the master sends to the replica can be
 * swallowed, so that a fail-over promotes a replica that is stale: the way in which Redis loses
 * what it has acknowledged.
 */
public final class RedisPair implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final RedisServer master;
  private final FaultProxy replication;
  private final RedisServer replica;
  private final FaultProxy front;

  private RedisPair(RedisBinary binary, String... masterArgs) {
    var args = new ArrayList<>(List.of("--repl-diskless-sync-delay", "0"));
    args.addAll(List.of(masterArgs));
    master = RedisServer.start(binary, args.toArray(String[]::new));
    replication = FaultProxy.to(master.port());
    replica = RedisServer.start(binary, "--replicaof", "127.0.0.1 " + replication.port());
    front = FaultProxy.to(master.port());
  }

  /** Starts both and returns once the replica is in step. */
  public static RedisPair start(RedisBinary binary, String... masterArgs) {
    var pair = new RedisPair(binary, masterArgs);
    try {
      pair.awaitReplica();
      return pair;
    } catch (RuntimeException e) {
      pair.close();
      throw e;
    }
  }

  /** Waits until the replica is in step, as it is some time after the master was restarted. */
  public void awaitReplica() {
    Poll.until(
        PATIENCE,
        () -> "the replica does not follow:\n" + replica.log(),
        () -> ask(replica, "INFO", "replication").contains("master_link_status:up"));
  }

  /** The address of whichever is the master. */
  public String uri() {
    return "redis://127.0.0.1:" + front.port();
  }

  public RedisServer master() {
    return master;
  }

  public RedisServer replica() {
    return replica;
  }

  /** From now on the replica hears nothing, and does not notice. */
  public void swallowReplication() {
    replication.swallow(Way.TO_CLIENT);
  }

  /** How much of what the master wrote the replica will never know. */
  public long swallowed() {
    return replication.swallowed(Way.TO_CLIENT);
  }

  /** Kills the master and makes the replica the master, such as it is. */
  public void failOver() {
    master.kill();
    ask(replica, "REPLICAOF", "NO", "ONE");
    front.retarget(replica.port());
  }

  private static String ask(RedisServer server, String... words) {
    try (var redis = server.connect()) {
      return redis.call(words);
    } catch (IOException e) {
      throw new UncheckedIOException("Redis on port " + server.port() + " does not answer", e);
    }
  }

  @Override
  public void close() {
    front.close();
    replica.close();
    replication.close();
    master.close();
  }
}
