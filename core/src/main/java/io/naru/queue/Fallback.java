package io.naru.queue;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of somebody inside whose payment fails: they come back, and go in before those who
 * have not been in.
 *
 * @param retrySeconds for so long their place inside is kept for another try; 0 for not at all
 * @param maxReturns how often somebody may come back; 0 for never
 * @param fallbackSeconds for so long they wait for something that others give back
 */
public record Fallback(int retrySeconds, int maxReturns, int fallbackSeconds) {

  private static final Field<Fallback, Integer> RETRY_SECONDS =
      Field.whole("retrySeconds", 0, 3_600, Fallback::retrySeconds).withLedger();
  private static final Field<Fallback, Integer> MAX_RETURNS =
      Field.whole("maxReturns", 0, 10, Fallback::maxReturns).withLedger();
  private static final Field<Fallback, Integer> FALLBACK_SECONDS =
      Field.whole("fallbackSeconds", 60, 86_400, Fallback::fallbackSeconds).withLedger();

  static final List<Field<Fallback, ?>> FIELDS =
      List.of(RETRY_SECONDS, MAX_RETURNS, FALLBACK_SECONDS);

  public static final Fallback DEFAULT = new Fallback(60, 2, 900);

  public Fallback {
    RETRY_SECONDS.check(retrySeconds);
    MAX_RETURNS.check(maxReturns);
    FALLBACK_SECONDS.check(fallbackSeconds);
  }

  static Fallback of(Map<String, ? extends @Nullable Object> values) {
    return new Fallback(
        RETRY_SECONDS.read(values), MAX_RETURNS.read(values), FALLBACK_SECONDS.read(values));
  }

  public long retryMicros() {
    return retrySeconds * Micros.PER_SECOND;
  }

  public long fallbackMicros() {
    return fallbackSeconds * Micros.PER_SECOND;
  }
}
