package io.naru.server.console;

import io.naru.queue.Figures;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** How many a second join, go in and leave, from what was counted over the last ten seconds. */
final class Rates {

  private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Less is no time to tell a rate from. */
  private static final long MIN_NANOS = TimeUnit.MILLISECONDS.toNanos(900);

  private final Deque<Sample> samples = new ArrayDeque<>();

  private record Sample(long nanos, Figures figures) {}

  /** People a second. */
  record PerSecond(double joined, double admitted, double left) {}

  /** What there was at that moment; moments come in order. */
  void add(long nanos, Figures figures) {
    // A queue that was deleted and made again begins to count again.
    if (!samples.isEmpty() && figures.joined() < samples.getLast().figures.joined()) {
      samples.clear();
    }
    samples.addLast(new Sample(nanos, figures));
    while (nanos - samples.getFirst().nanos > WINDOW_NANOS) {
      samples.removeFirst();
    }
  }

  /** Empty until there is something to compare. */
  Optional<PerSecond> perSecond() {
    if (samples.isEmpty()) {
      return Optional.empty();
    }
    Sample first = samples.getFirst();
    Sample last = samples.getLast();
    long nanos = last.nanos - first.nanos;
    if (nanos < MIN_NANOS) {
      return Optional.empty();
    }
    double seconds = nanos / 1e9;
    return Optional.of(
        new PerSecond(
            (last.figures.joined() - first.figures.joined()) / seconds,
            (last.figures.entered() - first.figures.entered()) / seconds,
            (last.figures.left() - first.figures.left()) / seconds));
  }
}
