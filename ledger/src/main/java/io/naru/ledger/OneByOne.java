package io.naru.ledger;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Does one thing after the other, in the threads of another; a failure does not end it. */
final class OneByOne implements Executor {

  private static final Logger log = LoggerFactory.getLogger(OneByOne.class);

  private final Executor threads;
  private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
  private boolean isBusy;

  OneByOne(Executor threads) {
    this.threads = threads;
  }

  @Override
  public void execute(Runnable task) {
    synchronized (waiting) {
      waiting.add(task);
      if (isBusy) {
        return;
      }
      isBusy = true;
    }
    threads.execute(this::work);
  }

  private void work() {
    for (Runnable next = next(); next != null; next = next()) {
      try {
        next.run();
      } catch (RuntimeException | Error e) {
        log.error("something that was to be done failed unexpectedly", e);
      }
    }
  }

  private @Nullable Runnable next() {
    synchronized (waiting) {
      isBusy = !waiting.isEmpty();
      return waiting.poll();
    }
  }
}
