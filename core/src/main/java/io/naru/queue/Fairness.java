package io.naru.queue;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How chance decides an order, and how anybody can check it.
 *
 * @param draw what decides the order of those who came before the opening
 * @param jitterMillis so much chance is added to when somebody arrived, at most
 * @param fairWindowMillis those who arrive within so much time are drawn among each other; 0: by
 *     when they arrived
 * @param log whether all that decides an order is published as a log
 */
public record Fairness(Draw draw, int jitterMillis, int fairWindowMillis, boolean log) {

  private static final Field<Fairness, Draw> DRAW =
      Field.oneOf("draw", Draw.class, Fairness::draw).withLedger();
  private static final Field<Fairness, Integer> JITTER_MILLIS =
      Field.whole("jitterMillis", 0, 1_000, Fairness::jitterMillis).withLedger();
  private static final Field<Fairness, Integer> FAIR_WINDOW_MILLIS =
      Field.whole("fairWindowMillis", 0, 1_000, Fairness::fairWindowMillis).withLedger();
  private static final Field<Fairness, Boolean> LOG =
      Field.yesOrNo("log", Fairness::log).withLedger();

  static final List<Field<Fairness, ?>> FIELDS =
      List.of(DRAW, JITTER_MILLIS, FAIR_WINDOW_MILLIS, LOG);

  public static final Fairness DEFAULT = new Fairness(Draw.SEED, 0, 0, false);

  /** What decides the order of those who came before the opening. */
  public enum Draw {
    /** A seed of ours that was fixed, and its hash published, beforehand. */
    SEED,
    /** That seed and a public coin, which did not exist when the list of people was closed. */
    COIN
  }

  public Fairness {
    JITTER_MILLIS.check(jitterMillis);
    FAIR_WINDOW_MILLIS.check(fairWindowMillis);
    if (jitterMillis > 0 && fairWindowMillis > 0) {
      throw new InvalidValue(
          "fairWindowMillis", "0 where jitterMillis is not", "is " + fairWindowMillis);
    }
  }

  static Fairness of(Map<String, ? extends @Nullable Object> values) {
    return new Fairness(
        DRAW.read(values),
        JITTER_MILLIS.read(values),
        FAIR_WINDOW_MILLIS.read(values),
        LOG.read(values));
  }

  /** Whether a newcomer's place is decided some time after they came. */
  public boolean settlesLater() {
    return jitterMillis > 0 || fairWindowMillis > 0;
  }
}
