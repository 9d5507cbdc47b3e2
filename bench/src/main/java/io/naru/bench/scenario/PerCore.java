package io.naru.bench.scenario;

import io.naru.bench.load.Median;
import io.naru.bench.load.Sample;
import io.naru.bench.report.Row;
import io.naru.bench.report.Unit;
import io.naru.bench.servers.Naru;
import io.naru.bench.servers.Store;
import io.naru.bench.servers.Vitals;
import io.naru.testkit.PostgresServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * What one core does while as many wait as {@code --waiting} says: one enter to nine status, over
 * the processor time of the server and everything behind it. An article names 50,000 of them a
 * second on ten servers with two cores each and a Redis with four, which is a figure per core, too.
 */
final class PerCore implements Scenario {

  private static final double ARTICLE = 50_000.0 / (10 * 2 + 4);

  @Override
  public String name() {
    return "per-core";
  }

  @Override
  public void run(Stage stage, Consumer<Row> rows) {
    try (var store = Store.redis(Optional.empty());
        var naru = stage.start(store)) {
      measure(stage, "no ledger", naru, List.of(store.redis()), rows);
    }
    try (var postgres = PostgresServer.start();
        var store = Store.postgres(postgres);
        var naru = stage.start(store)) {
      measure(stage, "PostgreSQL", naru, List.of(store.redis(), new Vitals(postgres.pid())), rows);
    }
  }

  private static void measure(
      Stage stage, String where, Naru naru, List<Vitals> behind, Consumer<Row> rows) {
    var queue = naru.openQueue();
    stage.fill(naru, queue, stage.pace().waiting());
    var mixed =
        new Contender(
            "mixed 1:9, " + where, naru.target(), Contender.settled(queue.users(), queue::mixed));
    List<Double> perCore = new ArrayList<>();
    // The first is for getting warm.
    for (int round = 0; round <= stage.pace().rounds(); round++) {
      Duration before = cpu(naru, behind);
      Sample sample =
          stage
              .load()
              .run(
                  mixed.target(),
                  mixed.nextRound(),
                  stage.pace().connections(),
                  stage.pace().round());
      double seconds = cpu(naru, behind).minus(before).toNanos() / 1e9;
      double answered = sample.perSecond() * stage.pace().round().toNanos() / 1e9;
      if (round > 0) {
        mixed.add(sample);
        perCore.add(answered / seconds);
        say(stage, round, mixed, sample, perCore.getLast());
      }
    }
    rows.accept(mixed.row().note("%,d wait".formatted(stage.pace().waiting())));
    rows.accept(HalfRate.latency(stage, mixed));
    rows.accept(row("of one core, " + where, Median.of(perCore, Double::doubleValue)));
  }

  private static Row row(String what, double perCore) {
    return Row.of(what, perCore, Unit.PER_SECOND)
        .note(
            "a second of processor time of all but the load; %.1f × the article's %,.0f"
                .formatted(perCore / ARTICLE, ARTICLE));
  }

  private static void say(Stage stage, int round, Contender mixed, Sample sample, double perCore) {
    stage
        .progress()
        .say(
            "round %d of %d: %s %,.0f/s, %,.0f for a second of processor time"
                .formatted(
                    round, stage.pace().rounds(), mixed.name(), sample.perSecond(), perCore));
  }

  private static Duration cpu(Naru naru, List<Vitals> behind) {
    return behind.stream().map(Vitals::cpuOfAll).reduce(naru.vitals().cpu(), Duration::plus);
  }
}
