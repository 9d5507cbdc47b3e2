package io.naru.load.wire;

/** Finds the end of replies. Each thread of the load has its own. */
public interface ReplyParser {

  /** Returned while the reply is not complete. */
  int INCOMPLETE = -1;

  /** Where the reply that starts at {@code from} ends, or {@link #INCOMPLETE}. */
  int end(byte[] bytes, int from, int to);

  /** Whether the reply found last is what was asked for. */
  boolean success();

  /** Whether the other side closes the connection after the reply found last. */
  boolean closes();
}
