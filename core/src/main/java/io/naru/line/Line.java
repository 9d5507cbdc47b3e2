package io.naru.line;

import io.naru.queue.QueueId;
import java.util.concurrent.CompletionStage;

/**
 * Where one stands. Reading changes nothing, never blocks, and may be asked as often as one likes.
 */
public interface Line {

  CompletionStage<Standing> locate(QueueId queue, String user);

  /**
   * What happened in a queue since a change, so that the places read then can be moved on without
   * asking for each of them again.
   */
  CompletionStage<Moved> since(QueueId queue, long change);
}
