package io.naru.gateway;

import io.naru.gate.Answer;
import io.naru.gateway.Rules.Held;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells Naru whose turn is over, aside, and again while Naru is away: until it is told, the pass
 * has ended, or ten minutes are over. What is lost ends by itself when the turn's time does.
 */
final class Completions implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Completions.class);

  private static final int MAX_OPEN = 10_000;
  private static final int THREADS = 4;
  private static final long LONGEST_NANOS = Duration.ofMinutes(10).toNanos();
  private static final long FIRST_MILLIS = 200;
  private static final long MOST_MILLIS = 2_000;

  private final Meters meters;
  private final AtomicInteger open = new AtomicInteger();
  private final ScheduledThreadPoolExecutor threads =
      new ScheduledThreadPoolExecutor(
          THREADS, Thread.ofPlatform().daemon().name("naru-complete-", 0).factory());

  Completions(Meters meters) {
    this.meters = meters;
  }

  void complete(Held held) {
    if (open.incrementAndGet() > MAX_OPEN) {
      open.decrementAndGet();
      log.warn("too many turns to end at once: {} ends with its time", held.pass().id());
      return;
    }
    attempt(held, System.nanoTime(), 0);
  }

  private void attempt(Held held, long since, long waitMillis) {
    try {
      threads.schedule(() -> tell(held, since, waitMillis), waitMillis, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      open.decrementAndGet();
    }
  }

  private void tell(Held held, long since, long waited) {
    Answer answer = Answer.UNREACHABLE;
    try {
      answer = held.guarded().gate().complete(held.token());
    } catch (RuntimeException e) {
      log.warn("could not end the turn of pass {}", held.pass().id(), e);
    }
    meters.completed(answer);
    if (answer != Answer.UNREACHABLE) {
      open.decrementAndGet();
      if (answer == Answer.REFUSED) {
        log.warn("Naru does not end the turn of pass {}", held.pass().id());
      }
    } else if (System.nanoTime() - since > LONGEST_NANOS) {
      open.decrementAndGet();
      log.warn(
          "Naru was away for too long: the turn of pass {} ends with its time", held.pass().id());
    } else {
      attempt(held, since, Math.clamp(2 * waited, FIRST_MILLIS, MOST_MILLIS));
    }
  }

  int open() {
    return open.get();
  }

  @Override
  public void close() {
    threads.shutdownNow();
    if (open.get() > 0) {
      log.warn("{} turns that are over could not be told to Naru; they end with their time", open);
    }
  }
}
