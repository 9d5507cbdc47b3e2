package io.naru.server.keys;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Does something again and again, beside everything else, until it is closed. */
public final class Beat implements AutoCloseable {

  private final String name;
  private final Duration pause;
  private final Runnable task;
  private volatile boolean isClosed;
  private @Nullable Thread thread;

  /**
   * @param task outlives any failure by itself
   */
  public Beat(String name, Duration pause, Runnable task) {
    this.name = name;
    this.pause = pause;
    this.task = task;
  }

  public void start() {
    thread = Thread.ofVirtual().name(name).start(this::run);
  }

  private void run() {
    try {
      while (!isClosed) {
        Thread.sleep(pause);
        task.run();
      }
    } catch (InterruptedException e) {
      // Closed.
    }
  }

  public boolean isClosed() {
    return isClosed;
  }

  @Override
  public void close() {
    isClosed = true;
    Thread running = thread;
    if (running != null) {
      running.interrupt();
    }
  }
}
