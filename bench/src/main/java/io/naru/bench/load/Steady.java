package io.naru.bench.load;

import java.util.ArrayDeque;
import java.util.Deque;

/** Tells when throughput has stopped climbing: consecutive windows that differ by little. */
public final class Steady {

  private final int windows;
  private final double tolerance;
  private final Deque<Double> recent = new ArrayDeque<>();

  public Steady(int windows, double tolerance) {
    this.windows = windows;
    this.tolerance = tolerance;
  }

  /** Takes the throughput of the next window and says whether the last few agree. */
  public boolean after(double perSecond) {
    recent.addLast(perSecond);
    if (recent.size() > windows) {
      recent.removeFirst();
    }
    var bounds = recent.stream().mapToDouble(Double::doubleValue).summaryStatistics();
    return recent.size() == windows
        && bounds.getMax() - bounds.getMin() <= tolerance * bounds.getMax();
  }
}
