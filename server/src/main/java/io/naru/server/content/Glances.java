package io.naru.server.content;

import io.naru.queue.QueueUnavailable;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * What many look at that changes all the time: of each thing the store is asked at most once a
 * second, and everybody who looks meanwhile sees, or waits for, the same. Only what exists is kept,
 * and only so many; questions under way are bounded, so names that somebody makes up fill nothing.
 *
 * @param <K> what it is of
 */
public final class Glances<K, V> {

  private static final int MAX_KEPT = 256;
  private static final int MAX_ASKING = 64;
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Question<K, V> question;
  private final LongSupplier nanos;
  private final Map<K, CompletableFuture<Optional<V>>> asking = new HashMap<>();
  private final Map<K, Seen<V>> kept = new LinkedHashMap<>(16, 0.75f, true);

  private record Seen<V>(V value, long readAt) {}

  /** What is asked of the store. */
  @FunctionalInterface
  public interface Question<K, V> {

    /**
     * @param before what was seen last, if that is kept
     * @return empty if there is no such thing
     */
    CompletionStage<Optional<V>> ask(K key, Optional<V> before);
  }

  public Glances(Question<K, V> question) {
    this(question, System::nanoTime);
  }

  /**
   * @param nanos a clock that is never set
   */
  Glances(Question<K, V> question, LongSupplier nanos) {
    this.question = question;
    this.nanos = nanos;
  }

  /** What was seen last, however long ago. */
  public synchronized Optional<V> last(K key) {
    return Optional.ofNullable(kept.get(key)).map(Seen::value);
  }

  /**
   * As it is, or was within the last second, or longer ago while too much is asked; empty if there
   * is no such thing.
   */
  public CompletionStage<Optional<V>> find(K key) {
    CompletableFuture<Optional<V>> answer;
    Optional<V> before;
    synchronized (this) {
      Seen<V> seen = kept.get(key);
      if (seen != null && nanos.getAsLong() - seen.readAt < FRESH_NANOS) {
        return CompletableFuture.completedFuture(Optional.of(seen.value));
      }
      answer = asking.get(key);
      if (answer != null) {
        return answer;
      }
      if (asking.size() >= MAX_ASKING && seen != null) {
        // Names that others make up must not hide what there is.
        return CompletableFuture.completedFuture(Optional.of(seen.value));
      }
      if (asking.size() >= MAX_ASKING) {
        return CompletableFuture.failedStage(
            new QueueUnavailable(
                QueueUnavailable.Kind.OVERLOADED, "too many queues are being looked up"));
      }
      answer = new CompletableFuture<>();
      asking.put(key, answer);
      before = Optional.ofNullable(seen).map(Seen::value);
    }
    ask(key, before, answer);
    return answer;
  }

  private void ask(K key, Optional<V> before, CompletableFuture<Optional<V>> answer) {
    asked(key, before)
        .whenComplete(
            (found, failure) -> {
              synchronized (this) {
                asking.remove(key);
                if (failure == null) {
                  keep(key, found);
                }
              }
              if (failure == null) {
                answer.complete(found);
              } else {
                answer.completeExceptionally(failure);
              }
            });
  }

  /** Whatever is wrong, whoever waits must hear of it, and the next one may ask again. */
  private CompletionStage<Optional<V>> asked(K key, Optional<V> before) {
    try {
      return question.ask(key, before);
    } catch (RuntimeException e) {
      return CompletableFuture.failedStage(e);
    }
  }

  private void keep(K key, Optional<V> found) {
    kept.remove(key);
    found.ifPresent(value -> kept.put(key, new Seen<>(value, nanos.getAsLong())));
    if (kept.size() > MAX_KEPT) {
      kept.remove(kept.keySet().iterator().next());
    }
  }
}
