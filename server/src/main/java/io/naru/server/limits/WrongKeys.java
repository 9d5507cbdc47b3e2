package io.naru.server.limits;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Who gave wrong keys, and how long they have to wait before the next one is looked at: nothing
 * after a few, which are slips, then a second, two, four, up to a minute. Others do not wait.
 */
final class WrongKeys {

  private static final int SLIPS = 5;
  private static final long MAX_DELAY = TimeUnit.MINUTES.toNanos(1);
  private static final long REMEMBERED = TimeUnit.MINUTES.toNanos(15);
  private static final int MAX_KEPT = 10_000;

  private final LongSupplier clock;
  private final ConcurrentHashMap<Long, Tries> tries = new ConcurrentHashMap<>();

  /**
   * @param last when the last wrong key came
   */
  private record Tries(int wrong, long last) {

    long until() {
      int over = wrong - SLIPS;
      return last
          + (over <= 0
              ? 0
              : Math.min(MAX_DELAY, TimeUnit.SECONDS.toNanos(1L << Math.min(over - 1, 6))));
    }
  }

  WrongKeys(LongSupplier clock) {
    this.clock = clock;
  }

  /** How many nanoseconds this address has to wait. */
  long delay(long address) {
    Tries known = tries.get(address);
    return known == null ? 0 : Math.max(0, known.until() - clock.getAsLong());
  }

  void wrong(long address) {
    long now = clock.getAsLong();
    // More than that many addresses guess at once: those that are known go on waiting.
    if (tries.size() < MAX_KEPT || tries.containsKey(address)) {
      tries.merge(
          address,
          new Tries(1, now),
          (known, one) -> new Tries(Math.min(known.wrong + 1, 99), now));
    }
  }

  void right(long address) {
    tries.remove(address);
  }

  void forget(long now) {
    tries.values().removeIf(known -> now - known.last > REMEMBERED);
  }

  int kept() {
    return tries.size();
  }
}
