package io.naru.bench.scenario;

import io.naru.bench.report.Against;
import io.naru.bench.report.Row;
import io.naru.bench.servers.Naru;
import io.naru.bench.servers.RawRedis;
import io.naru.bench.servers.WaitingRoom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Enter, status and the two mixed, beside the bare answer, Redis alone, and a peer. */
final class Throughput implements Scenario {

  private static final double ENTER_OF_BARE = 0.5;
  private static final double STATUS_OF_BARE = 0.6;
  private static final double TIMES_PEER = 5;

  @Override
  public String name() {
    return "throughput";
  }

  @Override
  public void run(Stage stage, Consumer<Row> rows) {
    stage.onServer(naru -> measure(stage, naru)).forEach(rows);
  }

  private static List<Row> measure(Stage stage, Naru naru) {
    try (var redis = new RawRedis(naru.redisAddress())) {
      var ours = Calls.of(stage, "naru", naru);
      var alone = Commands.of(stage, redis);
      var peers = stage.peer().map(peer -> Calls.of(stage, "peer", peer));
      var contest = new Contest(stage);
      ours.all().forEach(contest::add);
      alone.all().forEach(contest::add);
      peers.ifPresent(calls -> calls.all().forEach(contest::add));
      contest.hold();
      return rows(ours, alone, peers);
    }
  }

  private static List<Row> rows(Calls ours, Commands alone, Optional<Calls> peers) {
    var rows = new ArrayList<Row>();
    rows.add(ours.bare().row());
    rows.add(
        owing(ENTER_OF_BARE, beside(ours.enter(), ours, alone.zadd(), peers.map(Calls::enter))));
    rows.add(
        owing(
            STATUS_OF_BARE, beside(ours.status(), ours, alone.zrank(), peers.map(Calls::status))));
    rows.add(beside(ours.mixed(), ours, alone.mixed(), peers.map(Calls::mixed)));
    alone.all().forEach(call -> rows.add(call.row()));
    peers.ifPresent(
        calls -> {
          rows.add(calls.bare().row());
          rows.add(beside(calls.enter(), calls, alone.zadd(), Optional.empty()));
          rows.add(beside(calls.status(), calls, alone.zrank(), Optional.empty()));
          rows.add(beside(calls.mixed(), calls, alone.mixed(), Optional.empty()));
        });
    return rows;
  }

  private static Row beside(Contender call, Calls own, Contender raw, Optional<Contender> peer) {
    var row =
        call.row()
            .against(Against.BARE, call.times(own.bare()))
            .against(Against.RAW_REDIS, call.times(raw));
    return peer.map(other -> row.against(Against.PEER, call.times(other))).orElse(row);
  }

  private static Row owing(double ofBare, Row row) {
    var owed =
        row.owes(
            "at least %.0f %% of bare".formatted(ofBare * 100), row.ratio(Against.BARE) >= ofBare);
    return row.ratios().containsKey(Against.PEER)
        ? owed.owes("5 × peer", row.ratio(Against.PEER) >= TIMES_PEER)
        : owed;
  }

  /** The calls of one system. */
  private record Calls(Contender bare, Contender enter, Contender status, Contender mixed) {

    static Calls of(Stage stage, String name, WaitingRoom room) {
      var queue = room.openQueue();
      var users = queue.users();
      var target = room.target();
      stage.seed(target, queue.enter(), users);
      return new Calls(
          new Contender(name + " bare", target, room::bare),
          new Contender(name + " enter", target, Contender.settled(users, queue::enter)),
          new Contender(name + " status", target, Contender.settled(users, queue::status)),
          new Contender(name + " mixed 1:9", target, Contender.settled(users, queue::mixed)));
    }

    List<Contender> all() {
      return List.of(bare, enter, status, mixed);
    }
  }

  /** The commands of Redis that come closest. */
  private record Commands(Contender zadd, Contender zrank, Contender mixed) {

    static Commands of(Stage stage, RawRedis redis) {
      var users = redis.users();
      var target = redis.target();
      stage.seed(target, redis.zadd(), users);
      return new Commands(
          new Contender("redis ZADD", target, Contender.settled(users, redis::zadd)),
          new Contender("redis ZRANK", target, Contender.settled(users, redis::zrank)),
          new Contender("redis mixed 1:9", target, Contender.settled(users, redis::mixed)));
    }

    List<Contender> all() {
      return List.of(zadd, zrank, mixed);
    }
  }
}
