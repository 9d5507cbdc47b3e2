package io.naru.e2e.crash;

import static io.naru.e2e.crash.Faults.answeredSince;
import static io.naru.e2e.crash.Faults.killAndRestart;
import static io.naru.e2e.crash.Faults.last;
import static io.naru.e2e.crash.Faults.stayFrozen;
import static io.naru.e2e.crash.Faults.underLoad;
import static io.naru.testkit.FaultProxy.Way.TO_CLIENT;
import static io.naru.testkit.FaultProxy.Way.TO_SERVER;
import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.e2e.crash.Call.Act;
import io.naru.testkit.FaultProxy;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The faults that leave a Redis without persistence and a PostgreSQL behind, one after the other on
 * the same servers, each with a queue of its own.
 */
@Timeout(value = 2, unit = MINUTES)
@TestMethodOrder(MethodOrderer.MethodName.class)
class FaultsTest extends DatabaseFaults {

  /** Longer than every time-out on the way to a store. */
  private static final Duration CUT = Duration.ofSeconds(3);

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static RedisServer redis;
  private static Stage stage;

  @BeforeAll
  static void start(@TempDir Path data) {
    redis = RedisServer.start(RedisBinary.embedded(), RefusingRedis.OPTIONS);
    stage = Stage.linked(Database.POSTGRES, data, new Current<>(redis));
  }

  @AfterAll
  static void end() {
    stage.close();
    redis.close();
  }

  @Override
  Stage stage() {
    return stage;
  }

  @Test
  void f1_killOneServer() throws Exception {
    underLoad(
        stage,
        "F1",
        run -> {
          killAndRestart(
              run,
              () -> {
                run.editPacing();
                run.awaitPlaces(80);
              },
              stage.two());
          InvalidRun.unless(
              run.history().count(call -> call.code() == 0) > 0, "nobody was at that server");
        });
  }

  @Test
  void f2_killAllServers() throws Exception {
    underLoad(
        stage,
        "F2",
        run -> {
          killAndRestart(run, () -> {}, stage.one(), stage.two());
          run.editPacing();
        });
  }

  @Test
  void f3_rollingRestart() throws Exception {
    underLoad(
        stage,
        "F3",
        run -> {
          for (Node node : stage.nodes()) {
            long from = run.history().now();
            InvalidRun.unless(node.process().terminate() == 0, "it did not end in order");
            node.restart();
            run.history().excuse(node.name(), from);
            run.awaitPlaces(30);
          }
        });
  }

  /** Its visitors are refused or see a place that stands still; those of the other see nothing. */
  @Test
  void f11_oneServerCutOff() throws Exception {
    underLoad(
        stage,
        "F11",
        run -> {
          FaultProxy toRedis = stage.links(stage.one()).toRedis();
          FaultProxy toDatabase = stage.links(stage.one()).toDatabase();
          cutOff(run, () -> toRedis.swallow(TO_CLIENT), toRedis);
          cutOff(run, toDatabase::refuse, toDatabase);
          cutOff(
              run,
              () -> {
                toRedis.swallow(TO_SERVER);
                toDatabase.swallow(TO_CLIENT);
              },
              toRedis,
              toDatabase);
          InvalidRun.unless(toRedis.swallowed(TO_CLIENT) > 0, "Redis was heard");
          InvalidRun.unless(toDatabase.refusals() > 0, "nobody wanted to the database");
          InvalidRun.unless(toDatabase.swallowed(TO_CLIENT) > 0, "the database was heard");
        });
  }

  private static void cutOff(Run run, Runnable cut, FaultProxy... links) throws Exception {
    long from = run.history().now();
    cut.run();
    last(CUT);
    long goneOn =
        run.history()
            .count(call -> call.server().equals("two") && call.asked() >= from && call.isOk());
    for (FaultProxy link : links) {
      link.heal();
    }
    InvalidRun.unless(goneOn > 0, "the other server did not go on");
    run.awaitPlaces(30);
  }

  @Test
  void f5_killRedisWithoutPersistence() throws Exception {
    underLoad(
        stage,
        "F5-kill",
        run -> {
          long pid = redis.pid();
          redis.restart();
          InvalidRun.unless(redis.pid() != pid, "Redis was not killed");
          awaitRebuilt(run, "state", "hash");
        });
  }

  @Test
  void f5_flushAll() throws Exception {
    underLoad(
        stage,
        "F5-flush",
        run -> {
          redis("FLUSHALL");
          awaitRebuilt(run, "state", "hash");
        });
  }

  @Test
  void f5_oneKeyDeleted() throws Exception {
    underLoad(
        stage,
        "F5-delete",
        run -> {
          String deleted = redis("DEL", run.queue().key("waiting"));
          InvalidRun.unless(deleted.equals("1"), "there was no key to delete");
          awaitRebuilt(run, "waiting", "zset");
        });
  }

  @Test
  void f5_keyOfTheWrongType() throws Exception {
    underLoad(
        stage,
        "F5-type",
        run -> {
          redis("SET", run.queue().key("waiting"), "no sorted set");
          awaitRebuilt(run, "waiting", "zset");
        });
  }

  @Test
  void f7_freezeRedis() throws Exception {
    underLoad(
        stage,
        "F7",
        run -> {
          long from = run.history().now();
          redis.freeze();
          last(OUTAGE);
          redis.thaw();
          InvalidRun.unless(
              answeredSince(run, from, Act.ENTER) > 0, "nobody got a place while Redis was frozen");
        });
  }

  /** Those of both servers: commands arrive, and nobody hears what came of them. */
  @Test
  void f8_answersOfRedisLost() throws Exception {
    underLoad(
        stage,
        "F8-lost",
        run -> {
          List<FaultProxy> ways =
              stage.nodes().stream().map(node -> stage.links(node).toRedis()).toList();
          List<Long> before = ways.stream().map(way -> way.swallowed(TO_CLIENT)).toList();
          long from = run.history().now();
          ways.forEach(way -> way.swallow(TO_CLIENT));
          last(CUT);
          long entered = answeredSince(run, from, Act.ENTER);
          ways.forEach(FaultProxy::heal);
          for (int i = 0; i < ways.size(); i++) {
            InvalidRun.unless(
                ways.get(i).swallowed(TO_CLIENT) > before.get(i), "an answer of Redis was heard");
          }
          InvalidRun.unless(entered > 0, "nobody got a place while Redis was not heard");
        });
  }

  /** Enters go on, and who looks after the servers reads what Redis says. */
  @Test
  void f8_redisRefuses_isSaidByName() throws Exception {
    var refusing = new RefusingRedis(redis);
    underLoad(
        stage,
        "F8-refused",
        run -> {
          for (String error : List.of("OOM", "READONLY", "MISCONF", "BUSY", "LOADING")) {
            refusing.refuse(
                error,
                () -> {
                  run.awaitPlaces(5);
                  await("health that says " + error)
                      .atMost(PATIENCE)
                      .until(
                          () -> stage.nodes().stream().anyMatch(it -> it.health().contains(error)));
                });
          }
          // A script that is gone is sent again: no trouble of anybody's.
          refusing.refuse("NOSCRIPT", () -> run.awaitPlaces(5));
        });
  }

  /** The second of two rotations comes while no gate can ask for keys. */
  @Test
  void f17_keysRotatedAndKeyEndpointDown() throws Exception {
    underLoad(
        stage,
        "F17",
        run -> {
          try (var gates = new SiteGates(stage, run)) {
            gates.awaitAnotherKey();
            run.operator().rotateKeys();
            gates.awaitAnotherKey();
            gates.awaitKeys(3);
            gates.cutOff();
            run.operator().rotateKeys();
            gates.awaitAnotherKey();
            assertThat(gates.takenThoughForged()).isEmpty();
            gates.heal();
            run.awaitEntered(10);
            assertThat(gates.takenThoughForged()).isEmpty();
            assertThat(gates.refusedInTurn()).as("refused in their turn").isEmpty();
          }
        });
  }

  @Test
  void f12_freezeAServer() throws Exception {
    underLoad(
        stage,
        "F12",
        run -> {
          long from = run.history().now();
          stage.one().process().freeze();
          stayFrozen(run, stage.one(), from, OUTAGE);
        });
  }

  @Test
  void f15_sameEnterInParallelAndClientsThatGo() throws Exception {
    underLoad(
        stage,
        "F15",
        run -> {
          run.inParallel(
              50,
              door -> {
                for (int i = 0; i < 20; i++) {
                  door.enter("everybody");
                  door.next();
                }
              });
          run.inParallel(
              20,
              door -> {
                door.enterAndGo("goes-away");
                door.next();
                door.enterAndGo("goes-away");
              });
          run.inParallel(2, door -> door.enter("goes-away"));
        });
  }

  private static String redis(String... words) throws IOException {
    try (var connection = redis.connect()) {
      return connection.call(words);
    }
  }

  /** A second until it is noticed, and some time for a busy machine to rebuild. */
  private static void awaitRebuilt(Run run, String key, String type) {
    await("a new copy")
        .atMost(Duration.ofSeconds(5))
        .until(() -> redis("TYPE", run.queue().key(key)).equals(type));
  }
}
