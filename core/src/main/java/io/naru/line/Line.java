package io.naru.line;

import io.naru.queue.QueueId;
import java.util.concurrent.CompletionStage;

/**
 * Where one stands. Reading changes nothing, never blocks, and may be asked as often as one likes.
 */
public interface Line {

  CompletionStage<Standing> locate(QueueId queue, String user);
}
