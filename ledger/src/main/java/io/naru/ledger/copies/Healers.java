package io.naru.ledger.copies;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Heals a few copies at a time, however many are ill: each takes a connection to the ledger while
 * it is read. Those that take long have one place among them, so that hundreds of short ones do not
 * wait behind a long one, and a long one does not wait for all of them.
 */
final class Healers {

  private static final Logger log = LoggerFactory.getLogger(Healers.class);

  /** As many as there are connections for it. */
  static final int AT_ONCE = 2;

  private final Executor executor;
  private final ArrayDeque<Runnable> quick = new ArrayDeque<>();
  private final ArrayDeque<Runnable> slow = new ArrayDeque<>();
  private int busy;
  private boolean isBusyWithSlow;

  Healers(Executor executor) {
    this.executor = executor;
  }

  void quick(Runnable work) {
    submit(work, quick);
  }

  void slow(Runnable work) {
    submit(work, slow);
  }

  private void submit(Runnable work, ArrayDeque<Runnable> to) {
    synchronized (this) {
      to.add(work);
      if (busy == AT_ONCE) {
        return;
      }
      busy++;
    }
    try {
      executor.execute(this::work);
    } catch (RejectedExecutionException e) {
      log.debug("closed while a copy was to be healed");
    }
  }

  private void work() {
    for (Runnable next = next(); next != null; next = next()) {
      try {
        next.run();
      } catch (RuntimeException | Error e) {
        log.error("healing a copy failed unexpectedly", e);
      }
    }
  }

  /** What to do next; null, and one less is busy, if there is nothing. */
  private synchronized @Nullable Runnable next() {
    if (!isBusyWithSlow && !slow.isEmpty()) {
      isBusyWithSlow = true;
      Runnable work = slow.remove();
      return () -> {
        try {
          work.run();
        } finally {
          slowIsOver();
        }
      };
    }
    if (quick.isEmpty()) {
      busy--;
    }
    return quick.poll();
  }

  private synchronized void slowIsOver() {
    isBusyWithSlow = false;
  }
}
