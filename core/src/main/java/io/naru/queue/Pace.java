package io.naru.queue;

import io.naru.admission.Nearness;
import io.naru.admission.Pacing;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * How many go in.
 *
 * @param maxCapacity how many may be inside at once
 * @param entryBatchSize how many may go in per interval
 * @param entryIntervalSeconds how often the allowance is refilled
 * @param pacing how that rate may be spent
 * @param burst how many may go in at once after a pause, by {@code TOKEN_BUCKET}; if it is not
 *     said, one batch
 * @param adaptive how the rate follows the site; if it is not said, it follows nothing. Where it
 *     does, batch and interval mean nothing, and steps are of a second
 */
public record Pace(
    int maxCapacity,
    int entryBatchSize,
    int entryIntervalSeconds,
    Pacing.Kind pacing,
    Optional<Integer> burst,
    Optional<Adaptive> adaptive) {

  private static final Field<Pace, Integer> MAX_CAPACITY =
      Field.whole("maxCapacity", 1, 10_000_000, Pace::maxCapacity);
  private static final Field<Pace, Integer> ENTRY_BATCH_SIZE =
      Field.whole("entryBatchSize", 1, 100_000, Pace::entryBatchSize);
  private static final Field<Pace, Integer> ENTRY_INTERVAL_SECONDS =
      Field.whole("entryIntervalSeconds", 1, 3_600, Pace::entryIntervalSeconds);

  private static final Field<Pace, Pacing.Kind> PACING =
      Field.oneOf("pacing", Pacing.Kind.class, Pace::pacing);
  private static final Field<Pace, Optional<Integer>> BURST =
      Field.wholeOrNone("burst", 1, 100_000, Pace::burst);

  private static final Field<Pace, Optional<Adaptive>> ADAPTIVE =
      Field.adaptive("adaptive", Pace::adaptive).withLedger();

  static final List<Field<Pace, ?>> FIELDS =
      List.of(MAX_CAPACITY, ENTRY_BATCH_SIZE, ENTRY_INTERVAL_SECONDS, PACING, BURST, ADAPTIVE);

  public static final Pace DEFAULT =
      new Pace(1_000, 100, 1, Pacing.Kind.STEPS, Optional.empty(), Optional.empty());

  public Pace {
    MAX_CAPACITY.check(maxCapacity);
    ENTRY_BATCH_SIZE.check(entryBatchSize);
    ENTRY_INTERVAL_SECONDS.check(entryIntervalSeconds);
    BURST.check(burst);
  }

  static Pace of(Map<String, ? extends @Nullable Object> values) {
    return new Pace(
        MAX_CAPACITY.read(values),
        ENTRY_BATCH_SIZE.read(values),
        ENTRY_INTERVAL_SECONDS.read(values),
        PACING.read(values),
        BURST.read(values),
        ADAPTIVE.read(values));
  }

  /** The rate, and how it may be spent; where it follows something, how it begins. */
  public Pacing rate() {
    return rate(Adaptive::startPerSecond);
  }

  /**
   * Who has fewer than these before them is near the front, see {@link Nearness}. By what is set
   * alone, so that it is the same for everybody, and does not move with the rate.
   */
  public int near() {
    return Nearness.front(rate(Adaptive::ceilingPerSecond));
  }

  /** The same where it matters who is there. */
  int looked() {
    return Nearness.looked(rate(Adaptive::ceilingPerSecond));
  }

  private Pacing rate(ToDoubleFunction<Adaptive> perSecond) {
    return adaptive
        .map(rule -> Pacing.of(pacing, 1, 1, burst.orElse(0)).atRate(perSecond.applyAsDouble(rule)))
        .orElseGet(() -> Pacing.of(pacing, entryBatchSize, entryIntervalSeconds, burst.orElse(0)));
  }
}
