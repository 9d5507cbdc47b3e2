package io.naru.bench.scenario;

import io.naru.bench.load.Median;
import io.naru.bench.report.Row;
import io.naru.bench.report.Unit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.function.Consumer;

/** From {@code java -jar} to the first 200 of {@code /health/ready}. */
final class StartUp implements Scenario {

  private static final Duration OWED = Duration.ofMillis(1_500);

  @Override
  public String name() {
    return "start-up";
  }

  @Override
  public void run(Stage stage, Consumer<Row> rows) {
    var times = new ArrayList<Duration>();
    for (int i = 1; i <= stage.pace().starts(); i++) {
      try (var naru = stage.start()) {
        times.add(naru.readyAfter());
        stage
            .progress()
            .say("start %d: ready after %d ms".formatted(i, naru.readyAfter().toMillis()));
      }
    }
    var median = Median.of(times, Duration::toMillis);
    rows.accept(
        Row.of("start-up until ready", median, Unit.MILLIS)
            .note("median of " + times.size())
            .owes("at most 1,500 ms", median <= OWED.toMillis()));
  }
}
