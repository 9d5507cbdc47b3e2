package io.naru.bench.scenario;

import io.naru.bench.report.Against;
import io.naru.bench.report.Row;
import io.naru.bench.servers.Naru;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** What the gate adds to a Spring endpoint: the same one with it and without it, in turns. */
final class GateCost implements Scenario {

  private static final double OF_UNGUARDED = 0.95;

  @Override
  public String name() {
    return "gate";
  }

  @Override
  public void run(Stage stage, Consumer<Row> rows) {
    stage.onServer(naru -> measure(stage, naru)).forEach(rows);
  }

  private static List<Row> measure(Stage stage, Naru naru) {
    var queue = naru.openQueue();
    var pass = Optional.of(naru.admin().passOfFirst(queue));
    try (var guarded = stage.site(naru, queue);
        var unguarded = stage.unguardedSite(naru)) {
      guarded.awaitTaking(pass.get());
      var with =
          new Contender(
              "Spring endpoint, guarded", guarded.target(), () -> guarded.visits(() -> pass));
      var without =
          new Contender("Spring endpoint", unguarded.target(), () -> unguarded.visits(() -> pass));
      stage.warmUp(without.target(), without.nextRound());
      stage.warmUp(with.target(), with.nextRound());
      var contest = new Contest(stage);
      contest.add(without);
      contest.add(with);
      contest.hold();
      var ratio = with.times(without);
      return List.of(
          without.row(),
          with.row()
              .against(Against.BARE, ratio)
              .owes("at least 95 % of the endpoint without a gate", ratio >= OF_UNGUARDED));
    }
  }
}
