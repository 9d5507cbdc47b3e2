package io.naru.bench.scenario;

import io.naru.bench.load.Sample;
import io.naru.bench.load.Traffic;
import io.naru.bench.report.Row;
import io.naru.bench.report.Unit;
import io.naru.bench.servers.DatabaseConnections;
import io.naru.bench.servers.Naru;
import io.naru.bench.servers.Queue;
import io.naru.bench.servers.Store;
import io.naru.testkit.PostgresServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** Redis loses everything while people keep joining: how soon the copy of a long line is back. */
final class Heal implements Scenario {

  private static final int OWED_WAITING = 1_000_000;
  private static final int OWED_JOINS = 3_000;
  private static final Duration OWED = Duration.ofSeconds(15);

  /** As docs/operations.md says. */
  private static final int OWED_CONNECTIONS = 7;

  private static final Duration STEP = Duration.ofMillis(20);

  /** The joins begin before the loss and go on until it is healed, or for so long. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final int JOINING = 1_024;

  @Override
  public String name() {
    return "heal";
  }

  @Override
  public void run(Stage stage, Consumer<Row> rows) {
    var waiting = stage.late() ? stage.pace().waiting() / 10 : stage.pace().waiting();
    try (var postgres = PostgresServer.start();
        var store = Store.postgres(postgres);
        var naru = stage.start(store)) {
      var queue = naru.openQueue();
      stage.fill(naru, queue, waiting);
      try (var connections = new DatabaseConnections(postgres, store)) {
        measure(stage, naru, queue, waiting, connections, rows);
      }
    }
  }

  private static void measure(
      Stage stage,
      Naru naru,
      Queue queue,
      int waiting,
      DatabaseConnections connections,
      Consumer<Row> rows) {
    var joins = Math.clamp(waiting / (OWED_WAITING / OWED_JOINS), 10, OWED_JOINS);
    var isHealed = new AtomicBoolean();
    var enter = queue.enter();
    Traffic traffic = out -> !isHealed.get() && enter.next(out);
    CompletableFuture<Sample> load =
        CompletableFuture.supplyAsync(
            () ->
                stage
                    .load()
                    .offer(naru.target(), traffic, Math.min(JOINING, joins), joins, PATIENCE));
    Watch.pause(stage.pace().round());
    try (var copy = naru.copy(queue)) {
      copy.lose();
      var start = System.nanoTime();
      // Whole again: it has everybody but those of the last half second, who are on their way.
      while (!(copy.isNumbered() && copy.waiting() + joins / 2 >= queue.users().count())
          && !load.isDone()) {
        connections.look();
        Watch.pause(STEP);
      }
      var taken = Duration.ofNanos(System.nanoTime() - start);
      var isUnderLoad = !load.isDone();
      isHealed.set(true);
      var sample = load.join();
      stage.progress().say("healed after %d ms".formatted(taken.toMillis()));
      rows.accept(healed(waiting, joins, taken, isUnderLoad));
      rows.accept(joined(sample));
      rows.accept(
          Row.of("connections to PostgreSQL meanwhile", connections.most(), Unit.COUNT)
              .owes("at most 7", connections.most() <= OWED_CONNECTIONS));
    }
  }

  private static Row healed(int waiting, int joins, Duration taken, boolean isUnderLoad) {
    var row =
        Row.of("copy whole after FLUSHALL, joins going on", taken.toNanos() / 1e6, Unit.MILLIS)
            .note("%,d waiting, %,d joins/s".formatted(waiting, joins));
    if (!isUnderLoad) {
      row = row.note("NOT WHOLE while they joined");
    } else if (waiting < OWED_WAITING) {
      row = row.doubt("owed for %,d".formatted(OWED_WAITING));
    }
    return row.owes("at most 15 s", isUnderLoad && taken.compareTo(OWED) <= 0);
  }

  private static Row joined(Sample sample) {
    var row =
        Row.of("enter while the copy heals", sample.perSecond(), Unit.PER_SECOND)
            .latency(sample.millisAt(50), sample.millisAt(99));
    return sample.failures() == 0
        ? row
        : row.note("FAILED %,d, first: %s".formatted(sample.failures(), sample.firstFailure()));
  }
}
