package io.naru.bench.scenario;

import io.naru.bench.load.Load;
import io.naru.bench.load.Sample;
import io.naru.bench.load.Traffic;
import io.naru.bench.report.Row;
import io.naru.bench.report.Unit;
import io.naru.bench.servers.Naru;
import io.naru.bench.servers.Queue;
import io.naru.bench.servers.Store;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * A queue with doors, and programs from one network that take places and prove nothing, at half the
 * rate of the bare answer: what people notice of it who come and ask meanwhile.
 */
final class Flood implements Scenario {

  private static final double PER_SECOND = 200;
  private static final int CONNECTIONS = 64;
  private static final int FLOOD_CONNECTIONS = 256;
  private static final double OWED_TIMES = 2;

  /** So that nobody is measured before it begins, or after its end. */
  private static final Duration LONGER = Duration.ofSeconds(1);

  @Override
  public String name() {
    return "flood";
  }

  @Override
  public void run(Stage stage, Consumer<Row> rows) {
    try (var store = Store.sqlite();
        var naru = stage.start(store);
        var programs = new Load(1)) {
      var queue = naru.openQueue();
      naru.admin().guard(queue);
      stage.seed(naru.target(), queue.enter(), queue.users());
      var bare = bare(stage, naru);
      var alone = new Contender("people at doors, alone", naru.target(), queue::mixed);
      var flooded = new Contender("the same, flooded", naru.target(), queue::mixed);
      for (int round = 1; round <= stage.pace().rounds() && !(round > 1 && stage.late()); round++) {
        alone.add(people(stage, alone, queue));
        var isOver = new AtomicBoolean();
        var flood = flood(stage, programs, naru, queue, bare / 2, isOver);
        flooded.add(people(stage, flooded, queue));
        isOver.set(true);
        var sample = flood.join();
        stage
            .progress()
            .say(
                "round %d of %d: %,.0f/s of %,.0f/s offered by programs, %,d failed"
                    .formatted(
                        round,
                        stage.pace().rounds(),
                        sample.perSecond(),
                        bare / 2,
                        sample.failures()));
      }
      rows.accept(alone.row());
      var times = flooded.timesLatency(alone);
      rows.accept(
          flooded
              .row()
              .note("%,.0f/s offered by programs".formatted(bare / 2))
              .note("p99 %.1f times".formatted(times))
              .owes("p99 at most 2 times", times <= OWED_TIMES));
      rows.accept(
          Row.of("programs that still owe a proof", (double) naru.admin().owing(queue), Unit.COUNT)
              .note("each keeps its place, and goes in before nobody"));
    }
  }

  private static double bare(Stage stage, Naru naru) {
    return stage
        .load()
        .run(naru.target(), naru.bare(), stage.pace().connections(), stage.pace().round())
        .perSecond();
  }

  private static Sample people(Stage stage, Contender who, Queue queue) {
    queue.users().settle();
    return stage
        .load()
        .offer(who.target(), who.nextRound(), CONNECTIONS, PER_SECOND, stage.pace().round());
  }

  private static CompletableFuture<Sample> flood(
      Stage stage, Load programs, Naru naru, Queue queue, double perSecond, AtomicBoolean isOver) {
    var strangers = queue.strangers();
    // What was due and could not be sent so far is not sent once nobody looks any more.
    Traffic traffic = out -> !isOver.get() && strangers.next(out);
    return CompletableFuture.supplyAsync(
        () ->
            programs.offer(
                naru.target(),
                traffic,
                FLOOD_CONNECTIONS,
                perSecond,
                stage.pace().round().plus(LONGER)));
  }
}
