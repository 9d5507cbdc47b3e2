package io.naru.bench.scenario;

import io.naru.bench.load.Median;
import io.naru.bench.report.Row;
import io.naru.bench.report.Unit;
import java.util.ArrayList;
import java.util.List;

/** What something more costs: processor time in microseconds, of rounds taken in turns. */
final class Costs {

  private static final double OWED_MORE = 0.1;

  private Costs() {}

  static Row alone(String what, List<Double> rounds) {
    return Row.of(what, Median.of(rounds, Double::doubleValue), Unit.MICROS);
  }

  /** With it beside without it, as the median of the ratios within each round. */
  static Row beside(String what, List<Double> without, List<Double> with) {
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < without.size(); i++) {
      ratios.add(with.get(i) / without.get(i));
    }
    double more = Median.of(ratios, Double::doubleValue) - 1;
    return alone(what, with)
        .note("%+.0f %%".formatted(more * 100))
        .owes("at most %.0f %% more".formatted(OWED_MORE * 100), more <= OWED_MORE);
  }
}
