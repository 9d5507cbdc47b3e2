package io.naru.bench.scenario;

import io.naru.bench.report.Row;
import io.naru.bench.servers.Queue;
import io.naru.bench.servers.Store;
import io.naru.testkit.PostgresServer;
import java.util.function.Consumer;

/** What ten lanes cost, beside one line on the same server. */
final class LaneCost {

  private static final int LANES = 10;
  private static final double TEN_OF_ONE = 0.9;

  private LaneCost() {}

  static void measure(Stage stage, PostgresServer postgres, Consumer<Row> rows) {
    try (var store = Store.postgres(postgres);
        var naru = stage.start(store)) {
      Queue one = naru.openQueue();
      Queue ten = naru.openQueue();
      naru.admin().split(ten, LANES);
      stage.seed(naru.target(), one.enter(), one.users());
      stage.seed(naru.target(), ten.enter(LANES), ten.users());
      var enterOne =
          new Contender(
              "enter, one line", naru.target(), Contender.settled(one.users(), one::enter));
      var enterTen =
          new Contender(
              "enter, ten lanes",
              naru.target(),
              Contender.settled(ten.users(), () -> ten.enter(LANES)));
      var statusOne =
          new Contender(
              "status, one line", naru.target(), Contender.settled(one.users(), one::status));
      var statusTen =
          new Contender(
              "status, ten lanes", naru.target(), Contender.settled(ten.users(), ten::status));
      var contest = new Contest(stage);
      contest.add(enterOne);
      contest.add(enterTen);
      contest.add(statusOne);
      contest.add(statusTen);
      contest.hold();
      rows.accept(enterOne.row());
      rows.accept(beside(enterOne, enterTen));
      rows.accept(statusOne.row());
      rows.accept(beside(statusOne, statusTen));
    }
  }

  private static Row beside(Contender one, Contender ten) {
    var ratio = ten.times(one);
    return ten.row()
        .note("%.0f %% of one line".formatted(ratio * 100))
        .owes("at least %.0f %%".formatted(TEN_OF_ONE * 100), ratio >= TEN_OF_ONE);
  }
}
