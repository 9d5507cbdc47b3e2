package io.naru.server.admission;

import io.naru.admission.Admission;
import io.naru.queue.Admitted;
import io.naru.queue.Figures;
import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import io.naru.queue.Queues;
import io.naru.server.metrics.Health;
import io.naru.server.metrics.Metrics;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the beat: every queue is admitted when its allowance is refilled, at least once per poll,
 * and at once when a step made here leaves room. Every server may do this; the atomic step keeps
 * the one rate and the one capacity, and a short lease only saves the others the asking.
 *
 * <p>One thread owns all state; the work itself is asynchronous. No failure ends the loop: it is
 * logged once, retried with growing pauses, and its end is logged too.
 */
public final class Scheduler implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Scheduler.class);

  private static final long MIN_PAUSE_MILLIS = 100;
  private static final long MAX_PAUSE_MILLIS = 5_000;

  private final Queues queues;
  private final Metrics metrics;
  private final Health health;
  private final Rhythm rhythm;
  private final String server;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("naru-scheduler").daemon().factory());
  private final Map<QueueId, Beat> beats = new HashMap<>();
  private final Set<QueueId> hurried = ConcurrentHashMap.newKeySet();
  private long pauseMillis = MIN_PAUSE_MILLIS;

  /**
   * How often to look.
   *
   * @param poll at least this often per queue
   * @param lease how long the others leave a queue to the server that ticked last; zero for no
   *     lease
   */
  public record Rhythm(Duration poll, Duration lease) {
    public static final Rhythm DEFAULT = new Rhythm(Duration.ofSeconds(1), Duration.ofSeconds(3));
  }

  /** One queue's beat. */
  private static final class Beat {
    private boolean underWay;
    private boolean urgent;
    private @Nullable Future<?> next;
  }

  /**
   * @param server the name of this server, as other servers see it in a lease
   */
  public Scheduler(Queues queues, Metrics metrics, Health health, Rhythm rhythm, String server) {
    this.queues = queues;
    this.metrics = metrics;
    this.health = health;
    this.rhythm = rhythm;
    this.server = server;
  }

  public void start() {
    queues.onRoom(this::hurry);
    thread.execute(this::discover);
  }

  /** Called from any thread, possibly for every request: asks for one tick at a time. */
  private void hurry(QueueId queue) {
    if (hurried.add(queue)) {
      execute(
          () -> {
            hurried.remove(queue);
            Beat beat = beats.computeIfAbsent(queue, _ -> new Beat());
            beat.urgent = true;
            tick(queue, beat);
          });
    }
  }

  /** Finds the queues there are; the heartbeat of our connection to the store at the same time. */
  private void discover() {
    whenDone(
        queues::list,
        names -> {
          retain(names);
          later(rhythm.poll.toMillis(), this::discover);
          healthy();
        },
        failure -> {
          troubled(failure);
          later(pause(), this::discover);
        });
  }

  private void retain(List<QueueId> names) {
    var known = new HashSet<>(names);
    beats.keySet().stream().filter(queue -> !known.contains(queue)).toList().forEach(this::forget);
    for (QueueId queue : names) {
      if (!beats.containsKey(queue)) {
        var beat = new Beat();
        beats.put(queue, beat);
        tick(queue, beat);
      }
    }
  }

  private void forget(QueueId queue) {
    Beat beat = beats.remove(queue);
    if (beat != null && beat.next != null) {
      beat.next.cancel(false);
    }
    metrics.forget(queue);
  }

  private void tick(QueueId queue, Beat beat) {
    if (beat.underWay) {
      return;
    }
    if (beat.next != null) {
      beat.next.cancel(false);
    }
    beat.underWay = true;
    boolean urgent = beat.urgent;
    beat.urgent = false;
    var paced = new Admission.Paced(server, Math.toIntExact(rhythm.lease.toMillis()), urgent);
    whenDone(
        () -> queues.admit(queue, paced),
        admitted -> {
          beat.underWay = false;
          ticked(queue, beat, admitted);
          healthy();
        },
        failure -> {
          beat.underWay = false;
          troubled(failure);
          tickLater(queue, beat, pause());
        });
  }

  private void ticked(QueueId queue, Beat beat, Admitted admitted) {
    switch (admitted) {
      case Admitted.Done done -> {
        figures(queue, done.figures());
        metrics.admitted(queue, done.entries());
        if (done.more() || beat.urgent) {
          tick(queue, beat);
        } else {
          // A millisecond after the refill rather than one before it, which would be a tick for
          // nothing.
          tickLater(queue, beat, Math.ceilDiv(done.nextRefillMicros(), 1_000L) + 1);
        }
      }
      case Admitted.Leased leased -> {
        figures(queue, leased.figures());
        // Not all of those who wait for the lease to end at the same moment.
        long spread = ThreadLocalRandom.current().nextLong(1 + rhythm.poll.toMillis() / 4);
        tickLater(queue, beat, Math.ceilDiv(leased.remainingMicros(), 1_000L) + spread);
      }
      case Admitted.NotActive idle -> {
        figures(queue, idle.figures());
        tickLater(queue, beat, rhythm.poll.toMillis());
      }
      case Admitted.NoQueue _ -> forget(queue);
    }
  }

  private void figures(QueueId queue, Figures figures) {
    metrics.figures(queue, figures);
  }

  private void tickLater(QueueId queue, Beat beat, long millis) {
    if (beat.urgent) {
      tick(queue, beat);
    } else if (beats.get(queue) == beat) {
      beat.next = later(Math.min(millis, rhythm.poll.toMillis()), () -> tick(queue, beat));
    }
  }

  private void healthy() {
    pauseMillis = MIN_PAUSE_MILLIS;
    if (health.up()) {
      log.info("the line answers again; admission goes on");
    }
  }

  private void troubled(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    metrics.error("scheduler");
    if (health.down(String.valueOf(cause.getMessage()))) {
      log.warn(
          "admission is interrupted, places are kept, trying again until it works: {}",
          cause.getMessage(),
          // Where it happened matters only if nobody foresaw it.
          cause instanceof QueueUnavailable ? null : cause);
    }
  }

  private long pause() {
    long pause = pauseMillis;
    pauseMillis = Math.min(2 * pauseMillis, MAX_PAUSE_MILLIS);
    return pause + ThreadLocalRandom.current().nextLong(1 + pause / 4);
  }

  /** Goes on with a result on our own thread, where every failure ends up as a value. */
  private <T> void whenDone(
      Supplier<CompletionStage<T>> call, Consumer<T> next, Consumer<Throwable> ifFailed) {
    started(call)
        .whenComplete(
            (result, failure) ->
                execute(
                    () -> {
                      if (failure != null) {
                        ifFailed.accept(failure);
                        return;
                      }
                      try {
                        next.accept(result);
                      } catch (RuntimeException e) {
                        ifFailed.accept(e);
                      }
                    }));
  }

  /** A store should not throw, but if one does, that must not end the beat either. */
  private static <T> CompletionStage<T> started(Supplier<CompletionStage<T>> call) {
    try {
      return call.get();
    } catch (RuntimeException e) {
      return CompletableFuture.failedStage(e);
    }
  }

  private void execute(Runnable step) {
    try {
      thread.execute(() -> survive(step));
    } catch (RejectedExecutionException e) {
      log.debug("closed while a step was under way");
    }
  }

  private @Nullable Future<?> later(long millis, Runnable step) {
    try {
      return thread.schedule(() -> survive(step), millis, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      return null;
    }
  }

  private static void survive(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      log.error("a step of the scheduler failed for a reason that nobody expected", e);
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
