package io.naru.redis;

import io.naru.queue.QueueId;

/**
 * The names of all keys. Those of one queue share the hash tag {@code {TYPE:id}}, so they live in
 * one slot of a cluster and one script can touch them all.
 */
final class Keys {

  /** The set of all queues' names. */
  static final String QUEUES = "naru:queues";

  private static final String SECRET = "naru:secret:";

  private Keys() {}

  static String secret(String name) {
    return SECRET + name;
  }

  /** In the order in which {@code queue.lua} takes them. */
  static String[] of(QueueId queue) {
    String prefix = "queue:{" + queue + "}:";
    return new String[] {
      prefix + "settings",
      prefix + "state",
      prefix + "waiting",
      prefix + "entered",
      prefix + "entries",
      prefix + "finished",
      prefix + "moves"
    };
  }
}
