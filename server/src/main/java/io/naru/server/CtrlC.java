package io.naru.server;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A command that goes on until it is told to stop, and has something to do then: the process ends
 * only when this is closed.
 */
final class CtrlC implements AutoCloseable {

  /** For what is left to do; after that the process ends all the same. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final CountDownLatch told = new CountDownLatch(1);
  private final CountDownLatch done = new CountDownLatch(1);
  private final Thread hook = new Thread(this::end, "naru-ctrl-c");

  CtrlC() {
    Runtime.getRuntime().addShutdownHook(hook);
  }

  private void end() {
    told.countDown();
    try {
      var _ = done.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits for so long, or until it is time to stop; says whether it is. */
  boolean isTimeToStop(Duration wait) {
    try {
      return told.await(wait.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  @Override
  public void close() {
    done.countDown();
    if (told.getCount() > 0) {
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException e) {
        // It begins to run this very moment, and finds that all is done.
        return;
      }
    }
  }
}
