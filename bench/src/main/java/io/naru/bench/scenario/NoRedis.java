package io.naru.bench.scenario;

import io.naru.bench.load.Sample;
import io.naru.bench.report.Row;
import io.naru.bench.report.Unit;
import io.naru.bench.servers.Naru;
import io.naru.bench.servers.Queue;
import io.naru.bench.servers.Store;
import io.naru.bench.viewers.Audience;
import io.naru.bench.viewers.Seen;
import io.naru.testkit.PostgresServer;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Redis is stopped while thousands watch a long line: how soon those who ask are answered. */
final class NoRedis implements Scenario {

  private static final int OWED_WAITING = 1_000_000;
  private static final int OWED_STREAMS = 6_000;
  private static final double OWED_MILLIS = 1_000;
  private static final int ASKED_PER_SECOND = 200;
  private static final int ASKING = 512;

  /** For so many rounds people ask; Redis is stopped after a part of the first. */
  private static final int ROUNDS = 4;

  @Override
  public String name() {
    return "no-redis";
  }

  @Override
  public void run(Stage stage, Consumer<Row> rows) {
    var waiting = stage.late() ? stage.pace().waiting() / 10 : stage.pace().waiting();
    var streams = Math.min(OWED_STREAMS, waiting / 100);
    try (var postgres = PostgresServer.start();
        var store = Store.postgres(postgres);
        var naru = stage.start(store)) {
      var queue = naru.openQueue();
      stage.fill(naru, queue, waiting - streams);
      var tokens = stage.enter(naru.target(), queue, streams);
      var server = naru.target().addresses().getFirst();
      try (var audience = new Audience(queue.subscription(server))) {
        tokens.forEach(audience::open);
        audience.settle();
        var sample = ask(stage, naru, queue, store);
        stage.progress().say("p99 %.0f ms without Redis".formatted(sample.millisAt(99)));
        rows.accept(row(waiting, streams, sample, audience.seen()));
      }
    }
  }

  private static Sample ask(Stage stage, Naru naru, Queue queue, Store store) {
    var round = stage.pace().round();
    CompletableFuture<Sample> load =
        CompletableFuture.supplyAsync(
            () ->
                stage
                    .load()
                    .offer(
                        naru.target(),
                        queue.status(),
                        ASKING,
                        ASKED_PER_SECOND,
                        round.multipliedBy(ROUNDS)));
    try {
      Thread.sleep(round.dividedBy(ROUNDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
    store.stopRedis();
    return load.join();
  }

  private static Row row(int waiting, int streams, Sample sample, Seen seen) {
    var p99 = sample.millisAt(99);
    var row =
        Row.of("status without Redis", sample.perSecond(), Unit.PER_SECOND)
            .latency(sample.millisAt(50), p99)
            .note("%,d waiting, %,d streams".formatted(waiting, seen.watching()));
    if (seen.backwards() > 0) {
      row = row.note("%,d places WENT BACK".formatted(seen.backwards()));
    }
    if (sample.failures() > 0) {
      row = row.note("FAILED %,d, first: %s".formatted(sample.failures(), sample.firstFailure()));
    } else if (waiting < OWED_WAITING || streams < OWED_STREAMS) {
      row = row.doubt("owed for %,d and %,d".formatted(OWED_WAITING, OWED_STREAMS));
    }
    return row.owes("p99 at most 1 s", p99 <= OWED_MILLIS && sample.failures() == 0);
  }
}
