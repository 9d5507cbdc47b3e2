package io.naru.bench.scenario;

import io.naru.bench.report.Row;
import io.naru.bench.servers.Naru;
import io.naru.bench.servers.Queue;
import io.naru.bench.servers.Store;
import io.naru.testkit.PostgresServer;
import java.util.function.Consumer;

/** What ten lanes cost, beside one line on the same server. */
final class LaneCost {

  private static final int LANES = 10;
  private static final double TEN_OF_ONE = 0.9;

  /** So many go in with each call, and by turns, so that both have the same machine. */
  private static final int BATCH = 1_000;

  private static final int TURNS = 100;

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
      admissions(stage, naru, one, ten, rows);
    }
  }

  private static void admissions(Stage stage, Naru naru, Queue one, Queue ten, Consumer<Row> rows) {
    int turns = stage.pace().waiting() < Pace.FULL.waiting() ? 2 : TURNS;
    var ofOne = Admissions.NONE;
    var ofTen = Admissions.NONE;
    for (int turn = 0; turn < turns; turn++) {
      ofOne = ofOne.and(Admissions.measure(stage, naru, one, BATCH, BATCH));
      ofTen = ofTen.and(Admissions.measure(stage, naru, ten, BATCH, BATCH));
    }
    double ratio = ofTen.perSecond() / ofOne.perSecond();
    rows.accept(ofOne.row("admissions, one line"));
    rows.accept(owed(ofTen.row("admissions, ten lanes"), ratio));
  }

  private static Row beside(Contender one, Contender ten) {
    return owed(ten.row(), ten.times(one));
  }

  private static Row owed(Row row, double ratio) {
    return row.note("%.0f %% of one line".formatted(ratio * 100))
        .owes("at least %.0f %%".formatted(TEN_OF_ONE * 100), ratio >= TEN_OF_ONE);
  }
}
