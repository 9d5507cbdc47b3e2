package io.naru.fair;

import io.naru.queue.QueueId;
import java.io.IOException;

/** Where a log is: in a file, or at its address. */
public interface LogSource {

  /**
   * Which log it is.
   *
   * @param key of its checkpoints: {@code name+hash+key}
   */
  record Header(String origin, QueueId queue, String key) {}

  Header header();

  /**
   * Reads all of it, once.
   *
   * @throws RefusedLog if it is not what it should be; then nothing of it may be believed
   */
  void read(LogReader reader) throws IOException;
}
