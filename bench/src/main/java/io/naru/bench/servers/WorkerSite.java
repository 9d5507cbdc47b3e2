package io.naru.bench.servers;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * A site with so many workers, and no more: what comes beyond them waits, and while many wait all
 * of it is slower. Requests wait for their turn in the order in which they came.
 */
public final class WorkerSite {

  private static final int WORKERS = 20;
  private static final Duration SERVICE = Duration.ofMillis(50);

  /** So many behind each worker, and switching between them costs. */
  private static final int CROWDED = 4 * WORKERS;

  private static final double CROWDED_COST = 1.3;

  private final Semaphore workers = new Semaphore(WORKERS, /* fair= */ true);
  private final AtomicInteger waiting = new AtomicInteger();
  private final Recorder window = new Recorder(3);
  private final LongAdder slow = new LongAdder();
  private final LongAdder served = new LongAdder();
  private final Duration patience;

  /**
   * @param patience what takes longer is slow
   */
  public WorkerSite(Duration patience) {
    this.patience = patience;
  }

  /** How many requests it serves at best. */
  public static double perSecond() {
    return WORKERS / (SERVICE.toMillis() / 1e3);
  }

  /** One request, on the thread of the visitor. */
  public void serve() throws InterruptedException {
    long start = System.nanoTime();
    boolean isCrowded = waiting.incrementAndGet() > CROWDED;
    workers.acquire();
    try {
      waiting.decrementAndGet();
      Thread.sleep(Duration.ofNanos((long) (SERVICE.toNanos() * (isCrowded ? CROWDED_COST : 1))));
    } finally {
      workers.release();
    }
    long took = System.nanoTime() - start;
    window.recordValue(took / 1_000);
    served.increment();
    if (took > patience.toNanos()) {
      slow.increment();
    }
  }

  /** The times of all that was served since the last call, in microseconds. */
  public Histogram window() {
    return window.getIntervalHistogram();
  }

  public long served() {
    return served.sum();
  }

  public long slow() {
    return slow.sum();
  }
}
