package io.naru.server;

import io.naru.testkit.RedisCluster;
import io.naru.testkit.RedisConnection;
import io.naru.testkit.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Turns in a queue that Redis decides. Its clock cannot be moved, but when a turn ends can. */
final class RedisTurns {

  private RedisTurns() {}

  /** Which of them has this queue. */
  static RedisServer holder(RedisCluster cluster, String queue) {
    return cluster.ownerOf(keys(queue)).orElseThrow();
  }

  private static String keys(String queue) {
    return "queue:{" + queue.replace('/', ':') + "}:";
  }

  /**
   * @param queue as in a path: {@code SALE/1}
   */
  static void end(RedisServer redis, String queue, String user) {
    String keys = keys(queue);
    try (RedisConnection connection = redis.connect()) {
      String[] record = connection.call("HGET", keys + "entries", user).split(" ", -1);
      record[3] = "1";
      connection.call("HSET", keys + "entries", user, String.join(" ", record));
      connection.call("ZADD", keys + "entered", record[3], user);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
