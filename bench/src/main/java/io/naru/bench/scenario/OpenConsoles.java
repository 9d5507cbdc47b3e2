package io.naru.bench.scenario;

import io.naru.bench.load.Median;
import io.naru.bench.report.Row;
import io.naru.bench.report.Unit;
import io.naru.bench.servers.Naru;
import io.naru.bench.servers.Queue;
import io.naru.bench.servers.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * What operators cost who look: consoles that show a long line, while nothing moves in it, and
 * while people enter it; each beside the same without them, in turns.
 */
final class OpenConsoles implements Scenario {

  private static final int CONSOLES = 10;
  private static final int OWED_WAITING = 100_000;
  private static final double OWED_PERCENT = 3;
  private static final double PER_SECOND = 500;
  private static final int CONNECTIONS = 64;

  @Override
  public String name() {
    return "consoles";
  }

  @Override
  public void run(Stage stage, Consumer<Row> rows) {
    var waiting = Math.min(OWED_WAITING, stage.pace().waiting());
    try (var store = Store.sqlite();
        var naru = stage.start(store)) {
      var queue = naru.openQueue();
      stage.fill(naru, queue, waiting);
      rows.accept(quiet(stage, naru, queue, waiting));
      busy(stage, naru, queue).forEach(rows);
    }
  }

  /** Nothing moves. */
  private static Row quiet(Stage stage, Naru naru, Queue queue, int waiting) {
    List<Double> without = new ArrayList<>();
    List<Double> with = new ArrayList<>();
    for (int round = 1; round <= stage.pace().rounds(); round++) {
      without.add(idle(stage, naru));
      try (var _ = naru.open(CONSOLES, queue)) {
        with.add(idle(stage, naru));
      }
      say(stage, round, "nothing moves", without.getLast(), with.getLast(), "% of a core");
    }
    var more = median(with) - median(without);
    var row =
        Row.of("%d consoles, %,d waiting".formatted(CONSOLES, waiting), more, Unit.CORE_PERCENT)
            .note("%.1f %% without them".formatted(median(without)));
    return waiting == OWED_WAITING ? row.owes("at most 3 %", more <= OWED_PERCENT) : row;
  }

  private static double idle(Stage stage, Naru naru) {
    var meter = Meter.of(List.of(naru));
    Watch.pause(stage.pace().round());
    return meter.stop().corePercent();
  }

  /** People enter at a rate that the server has no trouble with. */
  private static List<Row> busy(Stage stage, Naru naru, Queue queue) {
    List<Double> without = new ArrayList<>();
    List<Double> with = new ArrayList<>();
    enter(stage, naru, queue);
    for (int round = 1; round <= stage.pace().rounds(); round++) {
      without.add(enter(stage, naru, queue));
      try (var _ = naru.open(CONSOLES, queue)) {
        with.add(enter(stage, naru, queue));
      }
      say(stage, round, "people enter", without.getLast(), with.getLast(), "µs per enter");
    }
    var spread =
        without.stream().mapToDouble(d -> d).max().orElseThrow()
            - without.stream().mapToDouble(d -> d).min().orElseThrow();
    var more = median(with) - median(without);
    return List.of(
        Row.of("processor time of an enter", median(without), Unit.MICROS),
        Row.of("the same, %d consoles open".formatted(CONSOLES), median(with), Unit.MICROS)
            .note("rounds without them differ by %.0f µs".formatted(spread))
            .owes("no more than the rounds differ", more <= spread));
  }

  /** The processor time that each took, in microseconds. */
  private static double enter(Stage stage, Naru naru, Queue queue) {
    var meter = Meter.of(List.of(naru));
    var sample =
        stage
            .load()
            .offer(naru.target(), queue.enter(), CONNECTIONS, PER_SECOND, stage.pace().round());
    return meter.stop().corePercent() * 1e4 / sample.perSecond();
  }

  private static double median(List<Double> rounds) {
    return Median.of(rounds, Double::doubleValue);
  }

  private static void say(
      Stage stage, int round, String what, double without, double with, String unit) {
    stage
        .progress()
        .say(
            "round %d of %d: %s  %.1f %s, with %d consoles %.1f"
                .formatted(round, stage.pace().rounds(), what, without, unit, CONSOLES, with));
  }
}
