package io.naru.bench.scenario;

import io.naru.bench.load.Median;
import io.naru.bench.report.Row;
import io.naru.bench.report.Unit;
import io.naru.bench.servers.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * From {@code java -jar} to the first 200 of {@code /health/ready}: on Redis alone, and as {@code
 * naru up} starts without options, the first time, when it makes its tables and keys, and from then
 * on. All with the cache that {@code ./naru up} starts with.
 */
final class StartUp implements Scenario {

  private static final Duration OWED = Duration.ofMillis(1_500);
  private static final Duration OWED_CPU = Duration.ofMillis(1_100);

  @Override
  public String name() {
    return "start-up";
  }

  @Override
  public void run(Stage stage, Consumer<Row> rows) {
    var waits = new ArrayList<Duration>();
    var firsts = new ArrayList<Duration>();
    var costs = new ArrayList<Duration>();
    for (int i = 1; i <= stage.pace().starts(); i++) {
      try (var naru = stage.start()) {
        waits.add(naru.readyAfter());
      }
      try (var store = Store.sqliteThatStays()) {
        try (var naru = stage.start(store)) {
          firsts.add(naru.cpuUntilReady());
        }
        try (var naru = stage.start(store)) {
          costs.add(naru.cpuUntilReady());
        }
      }
      stage
          .progress()
          .say(
              "start %d: ready after %d ms; on SQLite %d ms of a processor, then %d ms"
                  .formatted(
                      i,
                      waits.getLast().toMillis(),
                      firsts.getLast().toMillis(),
                      costs.getLast().toMillis()));
    }
    var wait = Median.of(waits, Duration::toMillis);
    rows.accept(
        Row.of("start-up until ready", wait, Unit.MILLIS)
            .note("median of " + waits.size())
            .owes("at most 1,500 ms", wait <= OWED.toMillis()));
    rows.accept(cost("start-up, SQLite, the very first: processor time", firsts));
    rows.accept(cost("start-up, SQLite: processor time", costs));
  }

  private static Row cost(String what, List<Duration> costs) {
    var cost = Median.of(costs, Duration::toMillis);
    return Row.of(what, cost, Unit.MILLIS)
        .note("median of " + costs.size())
        .owes("at most 1,100 ms", cost <= OWED_CPU.toMillis());
  }
}
