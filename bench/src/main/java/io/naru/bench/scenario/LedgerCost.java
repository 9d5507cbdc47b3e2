package io.naru.bench.scenario;

import io.naru.bench.load.Target;
import io.naru.bench.report.Against;
import io.naru.bench.report.Row;
import io.naru.bench.servers.Queue;
import io.naru.bench.servers.Store;
import io.naru.bench.servers.WaitingRoom;
import io.naru.testkit.PostgresServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Enter and status with and without a ledger, in turns, each on a server of its own. */
final class LedgerCost {

  private static final double POSTGRES_OF_NONE = 0.4;
  private static final double SQLITE_OF_NONE = 0.6;
  private static final double STATUS_OF_NONE = 0.95;
  private static final double TWO_OF_ONE = 0.97;
  private static final double TIMES_PEER = 4;

  private LedgerCost() {}

  static void measure(Stage stage, PostgresServer postgres, Consumer<Row> rows) {
    // All on stores of their own, even if a Redis was lent: what differs is then the ledger only.
    try (var alone = Store.redis(Optional.empty());
        var embedded = Store.sqlite();
        var shared = Store.postgres(postgres);
        var none = stage.start(alone);
        var sqlite = stage.start(embedded);
        var one = stage.start(shared);
        var two = stage.start(shared)) {
      var without = Line.open(stage, none, none.target());
      var with = Line.open(stage, one, one.target());
      var calls =
          new Calls(
              without.enter("enter, no ledger"),
              Line.open(stage, sqlite, sqlite.target()).enter("enter, SQLite"),
              with.enter("enter, PostgreSQL"),
              Line.open(stage, one, one.target().and(two.target()))
                  .enter("enter, PostgreSQL, 2 servers"),
              without.status("status, no ledger"),
              with.status("status, PostgreSQL"),
              stage
                  .peer()
                  .map(
                      peer ->
                          Line.open(stage, peer, peer.target()).enter("peer enter, its database")));
      var contest = new Contest(stage);
      calls.all().forEach(contest::add);
      contest.hold();
      calls.rows().forEach(rows);
      rows.accept(HalfRate.measure(stage, calls.postgres()));
    }
  }

  /** One queue, and where those who stand in it ask. */
  private record Line(Target target, Queue queue) {

    static Line open(Stage stage, WaitingRoom room, Target target) {
      var queue = room.openQueue();
      stage.seed(target, queue.enter(), queue.users());
      return new Line(target, queue);
    }

    Contender enter(String name) {
      return new Contender(name, target, Contender.settled(queue.users(), queue::enter));
    }

    Contender status(String name) {
      return new Contender(name, target, Contender.settled(queue.users(), queue::status));
    }
  }

  private record Calls(
      Contender none,
      Contender sqlite,
      Contender postgres,
      Contender twoServers,
      Contender statusNone,
      Contender statusPostgres,
      Optional<Contender> peer) {

    List<Contender> all() {
      var all =
          new ArrayList<>(List.of(none, sqlite, postgres, twoServers, statusNone, statusPostgres));
      peer.ifPresent(all::add);
      return all;
    }

    List<Row> rows() {
      var rows = new ArrayList<Row>();
      rows.add(none.row());
      rows.add(beside(none, sqlite, SQLITE_OF_NONE));
      rows.add(besidePeer(beside(none, postgres, POSTGRES_OF_NONE)));
      rows.add(besideOne());
      rows.add(statusNone.row());
      rows.add(beside(statusNone, statusPostgres, STATUS_OF_NONE));
      peer.ifPresent(call -> rows.add(call.row()));
      return rows;
    }

    private static Row beside(Contender without, Contender with, double owed) {
      var ratio = with.times(without);
      return with.row()
          .note("%.0f %% of no ledger".formatted(ratio * 100))
          .owes("at least %.0f %%".formatted(owed * 100), ratio >= owed);
    }

    private Row besidePeer(Row row) {
      return peer.map(
              other -> {
                var ratio = postgres.times(other);
                return row.against(Against.PEER, ratio).owes("4 × peer", ratio >= TIMES_PEER);
              })
          .orElse(row);
    }

    private Row besideOne() {
      var ratio = twoServers.times(postgres);
      return twoServers
          .row()
          .note("%.0f %% of one server".formatted(ratio * 100))
          .owes("no slower (3 % allowed for noise)", ratio >= TWO_OF_ONE);
    }
  }
}
