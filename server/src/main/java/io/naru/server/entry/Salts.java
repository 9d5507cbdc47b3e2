package io.naru.server.entry;

import io.naru.fair.Leaves;
import io.naru.queue.QueueId;
import io.naru.queue.Secret;

/** What every visitor of a queue that is logged is given, to find themselves in its log by. */
public final class Salts {

  private final Secret secret;

  /**
   * @param servers the secret that all servers share
   */
  public Salts(Secret servers) {
    this.secret = servers.derive("salt");
  }

  public String of(QueueId queue, String user) {
    return Leaves.salt(secret, queue, user);
  }

  /** Of an entry, as the log has it. */
  public String leaf(QueueId queue, long joined, String user) {
    return Leaves.text(Leaves.leaf(queue, joined, user, of(queue, user)));
  }
}
