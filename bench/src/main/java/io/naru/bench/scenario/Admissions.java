package io.naru.bench.scenario;

import io.naru.bench.report.Row;
import io.naru.bench.report.Unit;
import io.naru.bench.servers.Naru;
import io.naru.bench.servers.Queue;

/** How fast people are let in when there is room for all. */
record Admissions(long admitted, int calls, long nanos) {

  static final Admissions NONE = new Admissions(0, 0, 0);

  private static final int MAX_CAPACITY = 10_000_000;

  /** Lets people in, so many with each call, until enough are in or nobody waits. */
  static Admissions measure(Stage stage, Naru naru, Queue queue, int batch, long enough) {
    // With the beat an hour away, all that is admitted is admitted by the calls measured here.
    naru.admin().activate(queue, MAX_CAPACITY, 1, 3_600);
    long admitted = 0;
    int calls = 0;
    var start = System.nanoTime();
    for (int some = batch; some > 0 && admitted < enough; calls++) {
      some = naru.admin().process(queue, batch);
      admitted += some;
      stage.progress().say("%,d admitted".formatted(admitted));
    }
    return new Admissions(admitted, calls, System.nanoTime() - start);
  }

  double perSecond() {
    return admitted * 1e9 / Math.max(1, nanos);
  }

  Admissions and(Admissions more) {
    return new Admissions(admitted + more.admitted, calls + more.calls, nanos + more.nanos);
  }

  Row row(String what) {
    return Row.of(what, perSecond(), Unit.PER_SECOND)
        .note("%,d in %d calls".formatted(admitted, calls));
  }
}
