package io.naru.bench.scenario;

import io.naru.bench.report.Row;
import io.naru.bench.report.Unit;
import java.util.List;

/** How fast people are let in when the site could take them all. */
final class Admissions implements Scenario {

  private static final int MAX_CAPACITY = 10_000_000;
  private static final int BATCH = 100_000;
  private static final double OWED_PER_SECOND = 20_000;

  @Override
  public String name() {
    return "admissions";
  }

  @Override
  public List<Row> run(Stage stage) {
    try (var naru = stage.start()) {
      var queue = naru.openQueue();
      stage.fill(naru, queue, stage.pace().waiting());
      // With the beat an hour away, all that is admitted is admitted by the calls measured here.
      naru.admin().activate(queue, MAX_CAPACITY, 1, 3_600);
      long admitted = 0;
      int calls = 0;
      var start = System.nanoTime();
      for (int some = BATCH; some > 0; calls++) {
        some = naru.admin().process(queue, BATCH);
        admitted += some;
        stage.progress().say("%,d admitted".formatted(admitted));
      }
      var perSecond = admitted * 1e9 / (System.nanoTime() - start);
      naru.admin().delete(queue);
      return List.of(
          Row.of("admissions", perSecond, Unit.PER_SECOND)
              .note("%,d in %d calls".formatted(admitted, calls))
              .owes("at least 20,000/s", perSecond >= OWED_PER_SECOND));
    }
  }
}
