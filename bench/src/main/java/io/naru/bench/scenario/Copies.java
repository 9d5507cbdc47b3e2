package io.naru.bench.scenario;

import io.naru.bench.load.Target;
import io.naru.bench.report.Against;
import io.naru.bench.report.Row;
import io.naru.bench.servers.Naru;
import io.naru.bench.servers.Store;
import io.naru.testkit.PostgresServer;
import java.util.function.Consumer;

/**
 * Two servers on one PostgreSQL, each with the line in its own memory, beside two that share a
 * Redis: enter and status, in turns, over both servers of each pair.
 */
final class Copies implements Scenario {

  private static final double OWED_OF_BARE = 0.75;
  private static final double OWED_TIMES_REDIS = 1.3;

  @Override
  public String name() {
    return "copies";
  }

  @Override
  public void run(Stage stage, Consumer<Row> rows) {
    try (var postgres = PostgresServer.start();
        var alone = Store.postgresAlone(postgres);
        var shared = Store.postgres(postgres);
        var one = stage.start(alone);
        var two = stage.start(alone);
        var oneOnRedis = stage.start(shared);
        var twoOnRedis = stage.start(shared)) {
      var bare = new Contender("bare", one.target().and(two.target()), one::bare);
      var own = Pair.open(stage, "in memory", one, two);
      var redis = Pair.open(stage, "on Redis", oneOnRedis, twoOnRedis);
      var contest = new Contest(stage);
      contest.add(bare);
      contest.add(own.status());
      contest.add(redis.status());
      contest.add(own.enter());
      contest.add(redis.enter());
      contest.hold();
      rows.accept(bare.row());
      rows.accept(status(own.status(), redis.status(), bare));
      rows.accept(redis.status().row().against(Against.BARE, redis.status().times(bare)));
      rows.accept(beside(own.enter(), redis.enter()));
      rows.accept(redis.enter().row());
    }
  }

  private static Row status(Contender own, Contender redis, Contender bare) {
    var ofBare = own.times(bare);
    var timesRedis = own.times(redis);
    return beside(own, redis)
        .against(Against.BARE, ofBare)
        .owes("at least 75 % of bare", ofBare >= OWED_OF_BARE)
        .owes("1.3 × on Redis", timesRedis >= OWED_TIMES_REDIS);
  }

  private static Row beside(Contender own, Contender redis) {
    return own.row().note("%.2f × on Redis".formatted(own.times(redis)));
  }

  /** What two servers on one ledger are asked. */
  private record Pair(Contender enter, Contender status) {

    static Pair open(Stage stage, String where, Naru one, Naru two) {
      Target both = one.target().and(two.target());
      var queue = one.openQueue();
      var users = queue.users();
      stage.seed(both, queue.enter(), users);
      return new Pair(
          new Contender("enter, 2 servers, " + where, both, Contender.settled(users, queue::enter)),
          new Contender(
              "status, 2 servers, " + where, both, Contender.settled(users, queue::status)));
    }
  }
}
