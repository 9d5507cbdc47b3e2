package io.naru.bench.servers;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.PriorityQueue;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * A site with so many workers, and no more: what comes beyond them waits, and while many wait all
 * of it is slower. Requests wait for their turn in the order in which they came.
 *
 * <p>When a worker is done is reckoned, and then waited for. Otherwise each would be busy until
 * this machine finds a moment to wake it, and the site could do less the more else is going on:
 * what is measured is who follows it.
 */
public final class WorkerSite {

  private static final int WORKERS = 20;
  private static final Duration SERVICE = Duration.ofMillis(50);

  /** So many behind each worker, and switching between them costs. */
  private static final int CROWDED = 4 * WORKERS;

  private static final double CROWDED_COST = 1.3;

  /** When each worker is done with what it has, the first one first. */
  private final PriorityQueue<Long> free = new PriorityQueue<>();

  /** When the turn of each comes who waits. */
  private final ArrayDeque<Long> waiting = new ArrayDeque<>();

  private final Recorder window = new Recorder(3);
  private final LongAdder slow = new LongAdder();
  private final LongAdder served = new LongAdder();
  private final Duration patience;

  /**
   * @param patience what takes longer is slow
   */
  public WorkerSite(Duration patience) {
    this.patience = patience;
    long now = System.nanoTime();
    for (int i = 0; i < WORKERS; i++) {
      free.add(now);
    }
  }

  /** How many requests it serves at best. */
  public static double perSecond() {
    return WORKERS / (SERVICE.toMillis() / 1e3);
  }

  /**
   * One request, on the thread of the visitor.
   *
   * @param asked when it was to be made, as {@link System#nanoTime} has it; a visitor who was woken
   *     late is no slower for that
   * @return when it was answered
   */
  public long serve(long asked) throws InterruptedException {
    long end = turn(asked);
    Thread.sleep(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
    long took = end - asked;
    window.recordValue(took / 1_000);
    served.increment();
    if (took > patience.toNanos()) {
      slow.increment();
    }
    return end;
  }

  private synchronized long turn(long asked) {
    while (!waiting.isEmpty() && waiting.peek() - asked <= 0) {
      waiting.remove();
    }
    long start = Math.max(asked, free.remove());
    double cost = waiting.size() >= CROWDED ? CROWDED_COST : 1;
    long end = start + (long) (SERVICE.toNanos() * cost);
    if (start > asked) {
      waiting.add(start);
    }
    free.add(end);
    return end;
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
