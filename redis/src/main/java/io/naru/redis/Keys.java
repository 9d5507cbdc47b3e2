package io.naru.redis;

import io.naru.queue.QueueId;
import java.util.Arrays;

/**
 * The names of all keys. Those of one queue share the hash tag {@code {TYPE:id}}, so they live in
 * one slot of a cluster and one script can touch them all.
 */
public final class Keys {

  /** The set of all queues' names. */
  public static final String QUEUES = "naru:queues";

  private static final String SECRET = "naru:secret:";

  private Keys() {}

  /** Names the ledger whose copies are here. */
  static final String LEDGER = "naru:ledger";

  /** Holds the keys that sign passes, where no ledger does. */
  static final String SIGNING_KEYS = "naru:signing-keys";

  static String secret(String name) {
    return SECRET + name;
  }

  /** A queue's name as Redis has it: {@code TYPE:id}. */
  public static String name(QueueId queue) {
    return queue.type() + ":" + queue.id();
  }

  /** The inverse of {@link #name}. */
  public static QueueId queue(String name) {
    int colon = name.indexOf(':');
    return new QueueId(name.substring(0, Math.max(0, colon)), name.substring(colon + 1));
  }

  /** In the order in which {@code queue.lua} takes them. */
  public static String[] of(QueueId queue) {
    return of(queue, "");
  }

  /** The same of a copy, which also knows which tickets are gone. */
  public static String[] ofCopy(QueueId queue) {
    return ofCopy(queue, "");
  }

  /** Who waits, who is inside, and who was. */
  public static String[] people(QueueId queue) {
    String[] keys = of(queue);
    return new String[] {keys[2], keys[3], keys[5]};
  }

  /**
   * The same for a copy that is being built: its state, who waits and who is inside are under names
   * of the builder's own.
   */
  public static String[] staged(QueueId queue, String builder) {
    return ofCopy(queue, "staged:" + builder + ":");
  }

  /**
   * Those of {@link #staged} that are the builder's own, in the order in which a script takes them.
   */
  public static String[] ofBuilder(String[] staged) {
    return new String[] {
      staged[1], staged[2], staged[3], staged[4], staged[8], staged[9], staged[10]
    };
  }

  private static String[] ofCopy(QueueId queue, String staged) {
    String prefix = "queue:{" + name(queue) + "}:" + staged;
    String[] keys = of(queue, staged);
    String[] all = Arrays.copyOf(keys, keys.length + 2);
    all[keys.length] = prefix + "gone";
    all[keys.length + 1] = prefix + "tickets";
    return all;
  }

  private static String[] of(QueueId queue, String staged) {
    String prefix = "queue:{" + name(queue) + "}:";
    return new String[] {
      prefix + "settings",
      prefix + staged + "state",
      prefix + staged + "waiting",
      prefix + staged + "entered",
      prefix + staged + "entries",
      prefix + "finished",
      prefix + "moves",
      prefix + "over",
      prefix + staged + "joined"
    };
  }
}
