package io.naru.bench.scenario;

import io.naru.bench.report.Row;
import io.naru.bench.servers.Queue;
import io.naru.bench.servers.Store;
import io.naru.testkit.PostgresServer;
import java.util.function.Consumer;

/** A crowd in PostgreSQL: how fast its copy is back after Redis lost it, how fast it is let in. */
final class LedgerCrowd {

  private static final String SMALL_HEAP = "-Xmx256m";
  private static final int BATCH = 10_000;
  private static final double OWED_PER_SECOND = 5_000;

  private LedgerCrowd() {}

  static void measure(Stage stage, PostgresServer postgres, Consumer<Row> rows) {
    // Late, a smaller crowd must do; the rows say how many they were.
    var waiting = stage.late() ? stage.pace().waiting() / 10 : stage.pace().waiting();
    try (var store = Store.postgres(postgres)) {
      Queue queue;
      // Alone on its ledger: another server with more memory would build the copy in its place.
      try (var small = stage.start(store, SMALL_HEAP)) {
        queue = small.openQueue();
        stage.fill(small, queue, waiting);
        rows.accept(Rebuild.measure(stage, small, queue));
      }
      try (var naru = stage.start(store)) {
        // The rate is clear after some of them; letting all in would only take longer.
        var admissions = Admissions.measure(stage, naru, queue, BATCH, waiting / 5);
        rows.accept(row(admissions, waiting < stage.pace().waiting()));
      }
    }
  }

  private static Row row(Admissions admissions, boolean isShort) {
    var row = admissions.row("admissions, PostgreSQL");
    // A few calls to a server that has just started say more about its start.
    return (isShort ? row.doubt("short, on a cold server") : row)
        .owes("at least 5,000/s", admissions.perSecond() >= OWED_PER_SECOND);
  }
}
