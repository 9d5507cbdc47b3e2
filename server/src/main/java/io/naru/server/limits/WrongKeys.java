package io.naru.server.limits;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * Who gave wrong keys, and how long they have to wait before the next one is looked at: nothing
 * after a few, which are slips, then a second, two, four, up to a minute. Others do not wait.
 *
 * <p>The same wrong key again is no guess: a program that goes on with a key that was revoked must
 * not keep everybody else at its address out.
 */
final class WrongKeys {

  private static final int SLIPS = 5;
  private static final long MAX_DELAY = TimeUnit.MINUTES.toNanos(1);
  private static final long REMEMBERED = TimeUnit.MINUTES.toNanos(15);
  private static final int MAX_KEPT = 10_000;

  /** So many wrong keys of an address are known again. */
  private static final int KNOWN = 8;

  private final LongSupplier clock;
  private final ConcurrentHashMap<Long, Tries> tries = new ConcurrentHashMap<>();

  /**
   * @param last when the last wrong key came
   * @param known digests of the latest ones, the last one first
   */
  private record Tries(int wrong, long last, List<Long> known) {

    /** With one more, unless it was known. */
    Tries and(Tries one) {
      return known.containsAll(one.known)
          ? this
          : new Tries(
              Math.min(wrong + 1, 99),
              one.last,
              Stream.concat(one.known.stream(), known.stream()).limit(KNOWN).toList());
    }

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

  void wrong(long address, String key) {
    long now = clock.getAsLong();
    // More than that many addresses guess at once: those that are known go on waiting.
    if (tries.size() < MAX_KEPT || tries.containsKey(address)) {
      tries.merge(address, new Tries(1, now, List.of(digest(key))), Tries::and);
    }
  }

  /** One that nobody can make alike: else guesses would pass for the same key. */
  private static long digest(String key) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(key.getBytes(UTF_8));
      return ByteBuffer.wrap(digest).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
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
