package io.naru.bench.scenario;

import io.naru.bench.load.Median;
import io.naru.bench.load.Sample;
import io.naru.bench.load.Target;
import io.naru.bench.load.Traffic;
import io.naru.bench.load.Users;
import io.naru.bench.report.Row;
import io.naru.bench.report.Unit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** One of those that are compared, and how its rounds went. */
final class Contender {

  private final String name;
  private final Target target;
  private final Supplier<Traffic> traffic;
  private final List<Sample> samples = new ArrayList<>();
  private final List<String> remarks = new ArrayList<>();
  private final List<String> doubts = new ArrayList<>();

  /**
   * A contender that is asked this.
   *
   * @param traffic called before each round, so it may prepare the round
   */
  Contender(String name, Target target, Supplier<Traffic> traffic) {
    this.name = name;
    this.target = target;
    this.traffic = traffic;
  }

  /** Traffic for which everybody who entered in earlier rounds is known. */
  static Supplier<Traffic> settled(Users users, Supplier<Traffic> traffic) {
    return () -> {
      users.settle();
      return traffic.get();
    };
  }

  String name() {
    return name;
  }

  Target target() {
    return target;
  }

  Traffic nextRound() {
    return traffic.get();
  }

  void add(Sample sample) {
    samples.add(sample);
  }

  /** Notes what makes the figure less certain. */
  void remark(String remark) {
    remarks.add(remark);
  }

  /** Notes what forbids a verdict on the figure. */
  void doubt(String doubt) {
    doubts.add(doubt);
  }

  double perSecond() {
    return Median.of(samples, Sample::perSecond);
  }

  /**
   * How many times the other's figure: the median of the ratios within each round. Both had their
   * turn within seconds there, so a slow minute of the machine hits both sides of one ratio; the
   * two medians may stem from different minutes.
   */
  double times(Contender other) {
    if (samples.size() != other.samples.size()) {
      throw new IllegalArgumentException(name + " and " + other.name + " had different rounds");
    }
    var rounds = IntStream.range(0, samples.size()).boxed().toList();
    return Median.of(
        rounds, round -> samples.get(round).perSecond() / other.samples.get(round).perSecond());
  }

  /** How many times the other's latency that 99 of 100 stay below, as {@link #times} has it. */
  double timesLatency(Contender other) {
    var rounds = IntStream.range(0, samples.size()).boxed().toList();
    return Median.of(
        rounds, round -> samples.get(round).millisAt(99) / other.samples.get(round).millisAt(99));
  }

  Row row() {
    var row =
        Row.of(name, perSecond(), Unit.PER_SECOND)
            .latency(
                Median.of(samples, sample -> sample.millisAt(50)),
                Median.of(samples, sample -> sample.millisAt(99)));
    var failures = samples.stream().mapToLong(Sample::failures).sum();
    if (failures > 0) {
      row = row.doubt("%,d FAILED".formatted(failures));
    }
    for (var remark : remarks) {
      row = row.note(remark);
    }
    for (var doubt : doubts) {
      row = row.doubt(doubt);
    }
    return row;
  }
}
