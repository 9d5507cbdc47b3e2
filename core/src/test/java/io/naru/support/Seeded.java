package io.naru.support;

import java.util.Random;
import java.util.function.Consumer;

/**
 * Random histories that can be had again: a failing one names its seed, and {@code
 * -Dnaru.seed=<seed>} replays it. They are others at every run; {@code -Dnaru.histories=10} has ten
 * times as many.
 */
public final class Seeded {

  private static final int TIMES = Integer.getInteger("naru.histories", 1);

  private Seeded() {}

  public static void histories(int count, Consumer<Random> history) {
    Long replayed = Long.getLong("naru.seed");
    if (replayed != null) {
      history(replayed, history);
      return;
    }
    long first = System.nanoTime();
    for (int i = 0; i < count * TIMES; i++) {
      history(first + i, history);
    }
  }

  private static void history(long seed, Consumer<Random> history) {
    try {
      history.accept(new Random(seed));
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError("replay with -Dnaru.seed=" + seed + ": " + e.getMessage(), e);
    }
  }
}
