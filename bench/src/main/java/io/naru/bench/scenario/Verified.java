package io.naru.bench.scenario;

import io.naru.bench.load.Median;
import io.naru.bench.report.Row;
import io.naru.bench.report.Unit;
import io.naru.fair.LargeOpening;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.function.Consumer;

/**
 * How long {@code naru verify} takes for a large opening, from the start of its JVM to its end: the
 * list and the draw, every admission, every root.
 */
final class Verified implements Scenario {

  private static final int OWED_PEOPLE = 1_000_000;
  private static final Duration OWED = Duration.ofSeconds(10);

  @Override
  public String name() {
    return "verify";
  }

  @Override
  public void run(Stage stage, Consumer<Row> rows) {
    int most = stage.pace().waiting();
    // Late, a smaller opening must do; the row says how many there were.
    int people = stage.late() ? most / 10 : most;
    try {
      Path file = Files.createTempFile("naru-opening-", ".export");
      try {
        rows.accept(measure(stage, file, people));
      } finally {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write an opening", e);
    }
  }

  private static Row measure(Stage stage, Path file, int people) throws IOException {
    long records = LargeOpening.write(file, people);
    var export = "%,d records, %,.1f MB".formatted(records, Files.size(file) / 1e6);
    stage.progress().say("written: " + export);
    var times = new ArrayList<Duration>();
    for (int i = 1; i <= stage.pace().starts(); i++) {
      times.add(stage.command("verify", file.toString()));
      stage.progress().say("verified in %,d ms".formatted(times.getLast().toMillis()));
    }
    var median = Median.of(times, Duration::toMillis);
    var row =
        Row.of("verify, %,d people".formatted(people), median, Unit.MILLIS)
            .note(export)
            .note("median of " + times.size());
    return (people < OWED_PEOPLE ? row.doubt("owed for %,d".formatted(OWED_PEOPLE)) : row)
        .owes("at most 10 s", median <= OWED.toMillis());
  }
}
