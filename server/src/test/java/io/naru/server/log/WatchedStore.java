package io.naru.server.log;

import io.naru.journal.Addition;
import io.naru.journal.Behind;
import io.naru.journal.Bundle;
import io.naru.journal.HashTile;
import io.naru.journal.Journaled;
import io.naru.journal.Log;
import io.naru.journal.LogStore;
import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import io.naru.queue.QueueUnavailable.Kind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * A store at any time that a test wants, in which nobody holds a log for long, which remembers what
 * was signed, and which fails when it is told to: before a step is done, or behind it.
 */
final class WatchedStore implements LogStore {

  private final LogStore real;
  private final QueueId of;
  private final AtomicLong shift = new AtomicLong();
  private final AtomicInteger failIn = new AtomicInteger(Integer.MAX_VALUE);
  private volatile boolean failsBehind;
  final List<String> checkpoints = Collections.synchronizedList(new ArrayList<>());
  final List<Long> signed = Collections.synchronizedList(new ArrayList<>());
  final AtomicInteger appended = new AtomicInteger();
  final AtomicInteger refused = new AtomicInteger();

  /**
   * @param of whose checkpoints are remembered
   */
  WatchedStore(LogStore real, QueueId of) {
    this.of = of;
    this.real = real;
  }

  void advance(long micros) {
    shift.addAndGet(micros);
  }

  /**
   * @param steps so many work first
   * @param isDone whether the one that fails has been done all the same
   */
  void failIn(int steps, boolean isDone) {
    failsBehind = isDone;
    failIn.set(steps);
  }

  private <T> T step(Supplier<T> step) {
    boolean fails = failIn.getAndDecrement() == 0;
    if (fails && !failsBehind) {
      throw new QueueUnavailable(Kind.DISCONNECTED, "the test says so");
    }
    T done = step.get();
    if (fails) {
      throw new QueueUnavailable(Kind.DISCONNECTED, "the test says so");
    }
    return done;
  }

  @Override
  public List<Behind> behind(int limit) {
    return step(() -> real.behind(limit)).stream()
        .map(b -> new Behind(b.log(), b.head(), b.oldestAt(), b.now() + shift.get()))
        .toList();
  }

  @Override
  public List<Journaled> journal(Log log, long after, int limit) {
    return step(() -> real.journal(log, after, limit));
  }

  @Override
  public boolean append(Log from, Addition a) {
    var unheld =
        new Addition(
            a.to(),
            a.cursor(),
            a.origin(),
            a.holder(),
            0,
            a.tiles(),
            a.bundles(),
            a.checkpoint(),
            a.signedAt());
    return step(
        () -> {
          boolean isDone = real.append(from, unheld);
          (isDone ? appended : refused).incrementAndGet();
          if (isDone && a.checkpoint() != null && from.queue().equals(of)) {
            checkpoints.add(a.checkpoint());
            signed.add(a.signedAt());
          }
          return isDone;
        });
  }

  @Override
  public CompletionStage<Optional<Log>> log(QueueId queue) {
    return real.log(queue);
  }

  @Override
  public CompletionStage<Optional<HashTile>> tile(Log log, int level, long number) {
    return step(() -> real.tile(log, level, number));
  }

  @Override
  public CompletionStage<Optional<Bundle>> bundle(Log log, long number) {
    return step(() -> real.bundle(log, number));
  }

  @Override
  public CompletionStage<Optional<Bundle>> bundleOf(Log log, long joined) {
    return step(() -> real.bundleOf(log, joined));
  }
}
