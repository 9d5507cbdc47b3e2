package io.naru.server.admission;

import io.naru.queue.Admission;
import io.naru.queue.Admitted;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import io.naru.server.metrics.Health;
import io.naru.server.metrics.Metrics;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
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
 * Keeps the beat: once per poll the queues are found in which there is something to do, whoever
 * made it so; one in which people wait is admitted when its allowance is refilled, and at once when
 * a step made here leaves room. A queue with nobody in it costs nothing. Every server does this;
 * the atomic step keeps the one rate and the one capacity, and whoever comes second finds nothing
 * left to do.
 *
 * <p>One thread owns all state; the work itself is asynchronous. No failure ends the loop, and that
 * of one queue concerns no other: it is said once, retried with growing pauses, and its end is said
 * too.
 */
public final class Scheduler implements AutoCloseable {

  /** How often to look for what is due. */
  public static final Duration POLL = Duration.ofSeconds(1);

  private static final Logger log = LoggerFactory.getLogger(Scheduler.class);

  private static final long MIN_PAUSE_MILLIS = 100;
  private static final long MAX_PAUSE_MILLIS = 5_000;

  /** How many queues are admitted at a time; others wait for their turn. */
  private static final int MAX_UNDER_WAY = 256;

  private final Queues queues;
  private final Metrics metrics;
  private final Interruptions interruptions;
  private final Duration poll;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("naru-scheduler").daemon().factory());

  /** The queues that something is under way or planned for. */
  private final Map<QueueId, Beat> beats = new HashMap<>();

  /** Those whose turn it is as soon as fewer are under way. */
  private final LinkedHashSet<QueueId> ready = new LinkedHashSet<>();

  private final Set<QueueId> hurried = ConcurrentHashMap.newKeySet();
  private final Pause discovery = new Pause();
  private int underWay;

  /** One queue's beat. */
  private static final class Beat {
    private final Pause pause = new Pause();
    private boolean underWay;

    /** A step has left room while one was under way that may not have seen it. */
    private boolean again;

    private @Nullable Future<?> next;
  }

  /** How long to wait after a failure: longer each time. */
  private static final class Pause {
    private long millis = MIN_PAUSE_MILLIS;

    long next() {
      long pause = millis;
      millis = Math.min(2 * millis, MAX_PAUSE_MILLIS);
      return pause + ThreadLocalRandom.current().nextLong(1 + pause / 4);
    }

    void reset() {
      millis = MIN_PAUSE_MILLIS;
    }

    boolean isOn() {
      return millis > MIN_PAUSE_MILLIS;
    }
  }

  public Scheduler(Queues queues, Metrics metrics, Health health, Duration poll) {
    this.queues = queues;
    this.metrics = metrics;
    this.interruptions = new Interruptions(health, System::nanoTime);
    this.poll = poll;
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
            beat.again = true;
            ready.addFirst(queue);
            tickReady();
          });
    }
  }

  /** Finds what is due; the heartbeat of our connection to the store at the same time. */
  private void discover() {
    whenDone(
        queues::due,
        due -> {
          List<QueueId> wanted = due.stream().filter(queue -> !isPausing(queue)).toList();
          discovery.reset();
          if (interruptions.overEverywhere()) {
            // What failed in the meantime need not wait any longer.
            beats.values().forEach(beat -> beat.pause.reset());
            ready.addAll(beats.keySet());
          }
          ready.addAll(wanted);
          later(poll.toMillis(), this::discover);
          tickReady();
        },
        failure -> {
          metrics.error("scheduler");
          interruptions.everywhere(failure);
          later(discovery.next(), this::discover);
        });
  }

  private boolean isPausing(QueueId queue) {
    Beat beat = beats.get(queue);
    return beat != null && beat.pause.isOn();
  }

  private void tickReady() {
    while (underWay < MAX_UNDER_WAY && !ready.isEmpty()) {
      QueueId queue = ready.removeFirst();
      tick(queue, beats.computeIfAbsent(queue, _ -> new Beat()));
    }
  }

  private void tick(QueueId queue, Beat beat) {
    if (beat.underWay) {
      return;
    }
    cancel(beat);
    beat.underWay = true;
    underWay++;
    beat.again = false;
    whenDone(
        () -> queues.admit(queue, new Admission.Paced()),
        admitted -> {
          ticked(queue, beat, admitted);
          end(beat);
          beat.pause.reset();
          interruptions.overIn(queue);
        },
        failure -> {
          end(beat);
          metrics.error("scheduler");
          interruptions.in(queue, failure);
          beats.put(queue, beat);
          tickLater(queue, beat, beat.pause.next());
        });
  }

  private void end(Beat beat) {
    beat.underWay = false;
    underWay--;
    tickReady();
  }

  private void ticked(QueueId queue, Beat beat, Admitted admitted) {
    switch (admitted) {
      case Admitted.Done done -> {
        metrics.figures(queue, done.figures());
        metrics.admitted(queue, done.entries());
        if (done.more() || beat.again) {
          ready.add(queue);
        } else if (done.figures().present() > 0) {
          // A millisecond after the refill rather than one before it, which would be a tick for
          // nothing.
          tickLater(queue, beat, Math.ceilDiv(done.nextRefillMicros(), 1_000L) + 1);
        } else {
          forget(queue, beat);
        }
      }
      case Admitted.NotActive idle -> rest(queue, beat, idle);
      case Admitted.NoQueue _ -> {
        forget(queue, beat);
        metrics.forget(queue);
      }
    }
  }

  /** Nothing to do until it is found to be due again, unless a long line is being ended. */
  private void rest(QueueId queue, Beat beat, Admitted.NotActive idle) {
    metrics.figures(queue, idle.figures());
    if (idle.more() || beat.again) {
      ready.add(queue);
    } else {
      forget(queue, beat);
    }
  }

  private void forget(QueueId queue, Beat beat) {
    cancel(beat);
    beats.remove(queue, beat);
  }

  private static void cancel(Beat beat) {
    if (beat.next != null) {
      beat.next.cancel(false);
      beat.next = null;
    }
  }

  private void tickLater(QueueId queue, Beat beat, long millis) {
    beat.next =
        later(
            millis,
            () -> {
              ready.add(queue);
              tickReady();
            });
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
