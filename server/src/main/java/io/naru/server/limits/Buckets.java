package io.naru.server.limits;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A token bucket per address, kept as one number: the moment at which it will be full again. One
 * token moves that moment on by what a token takes to drip in, and there is one as long as the
 * moment is not further away than a whole bucket takes. A bucket that is full is one that nobody
 * has touched, so it need not be kept: how many are kept follows from how many requests come, not
 * from how many addresses there are.
 */
final class Buckets {

  /** More than this many buckets are never kept; who comes then is not slowed. */
  static final int MAX_KEPT = 100_000;

  private static final long SWEEP_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final long perMinute;
  private final long tokenNanos;
  private final long bucketNanos;
  private final LongSupplier clock;
  private final ConcurrentHashMap<Long, Long> fullAt = new ConcurrentHashMap<>();
  private long sweptAt;

  /**
   * @param tokens that drip in within a minute
   * @param burst how many a full bucket holds
   * @param clock nanoseconds of any beginning
   */
  Buckets(long tokens, long burst, LongSupplier clock) {
    this.perMinute = tokens;
    this.tokenNanos = TimeUnit.MINUTES.toNanos(1) / tokens;
    this.bucketNanos = tokenNanos * burst;
    this.clock = clock;
    this.sweptAt = clock.getAsLong();
  }

  /**
   * Takes a token.
   *
   * @return 0, or how many nanoseconds it takes until there is one
   */
  long take(long address) {
    long now = clock.getAsLong();
    if (fullAt.size() >= MAX_KEPT && !fullAt.containsKey(address) && !hasRoom(now)) {
      return 0;
    }
    long[] wait = new long[1];
    fullAt.compute(
        address,
        (_, at) -> {
          long before = at == null || at - now < 0 ? now : at;
          wait[0] = Math.max(0, before + tokenNanos - bucketNanos - now);
          return wait[0] == 0 ? before + tokenNanos : before;
        });
    return wait[0];
  }

  /** Gives a token back that was taken in vain. */
  void giveBack(long address) {
    fullAt.computeIfPresent(address, (_, at) -> at - tokenNanos);
  }

  /** Looks for full ones once a second at most: that takes time, and whoever comes would pay. */
  private synchronized boolean hasRoom(long now) {
    if (now - sweptAt >= SWEEP_NANOS) {
      sweptAt = now;
      forget(now);
    }
    return fullAt.size() < MAX_KEPT;
  }

  /** Drops the full ones. */
  void forget(long now) {
    fullAt.values().removeIf(at -> at - now <= 0);
  }

  /** How many tokens drip in within a minute. */
  long perMinute() {
    return perMinute;
  }

  int kept() {
    return fullAt.size();
  }
}
