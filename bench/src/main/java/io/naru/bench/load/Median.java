package io.naru.bench.load;

import java.util.Collection;
import java.util.function.ToDoubleFunction;

/** The middle value, which a single disturbed round cannot move far. */
public final class Median {

  private Median() {}

  public static <T> double of(Collection<T> items, ToDoubleFunction<T> value) {
    if (items.isEmpty()) {
      throw new IllegalArgumentException("no median of nothing");
    }
    var sorted = items.stream().mapToDouble(value).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
