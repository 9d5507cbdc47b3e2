package io.naru.server.doors;

import io.naru.server.http.Problem;
import io.naru.server.limits.AddressLimits;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Where those go in of whom more come than may without a proof. Nobody is turned away for that;
 * they go on a few at a time, networks in turns, and others have at least as much of the time as
 * they. So whoever comes from elsewhere notices little of a flood, and who shares an address with
 * many waits a moment.
 */
public final class SideDoor {

  /** How many go on together. */
  static final int TOGETHER = 16;

  /** More of one network than this are told to come again: whoever waits here costs memory. */
  static final int MAX_OF_A_NETWORK = 4_000;

  static final int MAX_WAITING = 20_000;

  private static final Problem FULL = AddressLimits.TOO_MANY_NEWCOMERS.retryAfter(3);
  private static final long MIN_REST_MILLIS = 4;
  private static final long MAX_REST_MILLIS = 1_000;

  private final Later later;
  private final LongSupplier nanos;

  /** Those who wait, by network; the one whose turn is next comes first. */
  private final SequencedMap<Long, Deque<Turn<?>>> waiting = new LinkedHashMap<>();

  private int count;
  private boolean isAtWork;

  /** Does something after a while. */
  public interface Later {
    void after(Duration delay, Runnable step);
  }

  /** Somebody's: what is done then, and what came of it. */
  private record Turn<T>(Supplier<CompletionStage<T>> step, CompletableFuture<T> result) {

    void take() {
      CompletionStage<T> taken;
      try {
        taken = step.get();
      } catch (RuntimeException e) {
        result.completeExceptionally(e);
        return;
      }
      taken.whenComplete(
          (value, failure) -> {
            if (failure == null) {
              result.complete(value);
            } else {
              result.completeExceptionally(failure);
            }
          });
    }
  }

  /**
   * @param nanos of any beginning
   */
  public SideDoor(Later later, LongSupplier nanos) {
    this.later = later;
    this.nanos = nanos;
  }

  /**
   * Does it when it is their turn.
   *
   * @param network where they come from
   */
  <T> CompletionStage<T> pass(long network, Supplier<CompletionStage<T>> step) {
    var turn = new Turn<>(step, new CompletableFuture<T>());
    boolean isFirst;
    synchronized (this) {
      Deque<Turn<?>> others = waiting.get(network);
      if (count >= MAX_WAITING || (others != null && others.size() >= MAX_OF_A_NETWORK)) {
        return CompletableFuture.failedFuture(new Problem.Found(FULL));
      }
      waiting.computeIfAbsent(network, _ -> new ArrayDeque<>()).add(turn);
      count++;
      isFirst = !isAtWork;
      isAtWork = true;
    }
    if (isFirst) {
      goOn();
    }
    return turn.result;
  }

  private void goOn() {
    List<Turn<?>> next = next();
    if (next.isEmpty()) {
      return;
    }
    long begun = nanos.getAsLong();
    next.forEach(Turn::take);
    CompletableFuture.allOf(next.stream().map(Turn::result).toArray(CompletableFuture[]::new))
        .whenComplete((_, _) -> rest(nanos.getAsLong() - begun));
  }

  /** Others have as much of the time as this took. */
  private void rest(long took) {
    long millis = Math.clamp(TimeUnit.NANOSECONDS.toMillis(took), MIN_REST_MILLIS, MAX_REST_MILLIS);
    later.after(Duration.ofMillis(millis), this::goOn);
  }

  /** One of each network after the other; none if nobody waits, and then nobody is at work. */
  private synchronized List<Turn<?>> next() {
    List<Turn<?>> next = new ArrayList<>();
    while (next.size() < TOGETHER && count > 0) {
      Map.Entry<Long, Deque<Turn<?>>> first = waiting.pollFirstEntry();
      Deque<Turn<?>> those = first.getValue();
      next.add(those.remove());
      count--;
      if (!those.isEmpty()) {
        waiting.putLast(first.getKey(), those);
      }
    }
    isAtWork = !next.isEmpty();
    return next;
  }
}
