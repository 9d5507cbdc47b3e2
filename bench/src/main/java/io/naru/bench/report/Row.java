package io.naru.bench.report;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * One figure and what it is set beside.
 *
 * @param what is measured
 * @param ratios of this figure to others of the same run
 * @param notes for people: floors met or missed, what disturbed the figure
 * @param certain enough to say whether a floor was reached
 */
public record Row(
    String what,
    double value,
    Unit unit,
    OptionalDouble p50Millis,
    OptionalDouble p99Millis,
    Map<Against, Double> ratios,
    List<String> notes,
    boolean certain) {

  public Row {
    ratios = Map.copyOf(ratios);
    notes = List.copyOf(notes);
  }

  public static Row of(String what, double value, Unit unit) {
    var none = OptionalDouble.empty();
    return new Row(what, value, unit, none, none, Map.of(), List.of(), true);
  }

  public Row latency(double p50, double p99) {
    var p50Millis = OptionalDouble.of(p50);
    return new Row(what, value, unit, p50Millis, OptionalDouble.of(p99), ratios, notes, certain);
  }

  public Row against(Against other, double ratio) {
    var more = new EnumMap<Against, Double>(Against.class);
    more.putAll(ratios);
    more.put(other, ratio);
    return new Row(what, value, unit, p50Millis, p99Millis, more, notes, certain);
  }

  public double ratio(Against other) {
    return requireNonNull(ratios.get(other), () -> what + " has no ratio to " + other);
  }

  public Row note(String note) {
    var more = new ArrayList<>(notes);
    more.add(note);
    return new Row(what, value, unit, p50Millis, p99Millis, ratios, more, certain);
  }

  /** Notes what makes the figure too uncertain for a verdict. */
  public Row doubt(String note) {
    var doubted = note(note);
    return new Row(
        what, value, unit, p50Millis, p99Millis, ratios, doubted.notes, /* certain= */ false);
  }

  /** Notes whether a figure we owe was reached. */
  public Row owes(String floor, boolean reached) {
    var verdict = reached ? "reached" : "MISSED";
    return note("%s: %s".formatted(floor, certain ? verdict : "undecided"));
  }
}
