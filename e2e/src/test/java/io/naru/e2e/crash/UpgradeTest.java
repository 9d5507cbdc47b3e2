package io.naru.e2e.crash;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.e2e.crash.Call.Act;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two servers of an earlier version are replaced one by one, while people come, by servers of this
 * one. The earlier jar is named by {@code -Dold.jar=…}; without it this is left out.
 *
 * <p>There are three ways that this may go, and in each of them all rules hold: the earlier server
 * goes on deciding beside the new one; or it notices, and decides nothing any more; or the new one
 * does not start as long as an earlier one decides, and says so.
 */
@Tag("process")
@Timeout(value = 4, unit = MINUTES)
@EnabledIfSystemProperty(
    named = "old.jar",
    matches = ".+",
    disabledReason = "-Dold.jar names no earlier server (CONTRIBUTING.md says how to make one)")
class UpgradeTest {

  private static final int SOME = 60;
  private static final String REFUSED = "stop all servers of before";
  private static final String OUTDATED = "a newer Naru made the tables of version";

  private final Map<String, Path> jars = new ConcurrentHashMap<>();

  Database kind() {
    return Database.POSTGRES;
  }

  @Test
  void serversAreReplacedOneByOne_nothingIsLost(@TempDir Path data) throws Exception {
    Path old = Path.of(System.getProperty("old.jar"));
    var queue = new QueueName("CRASH", "upgrade", true, true, false, true, Pacing.TOKEN_BUCKET);
    try (var redis = RedisServer.start(RedisBinary.embedded());
        var stage = Stage.ofJars(kind(), data, redis, name -> jars.getOrDefault(name, old));
        var run = new Run(stage, queue, seed(), Run.QUIET, Crowd.Manner.STEADY)) {
      run.awaitPlaces(SOME);
      long from = run.history().now();
      if (replace(run, stage.two())) {
        besideEachOther(run, stage.one(), stage.two());
        assertThat(replace(run, stage.one())).isTrue();
      } else {
        theEarlierOneGoesOn(run, stage.one());
        assertThat(replace(run, stage.one())).isTrue();
        stage.two().restart();
        run.history().excuse(stage.two().name(), from);
      }
      awaitEnters(run, stage.one());
      awaitEnters(run, stage.two());
      run.awaitReturn();
      assertThat(run.breaches()).isEmpty();
    }
  }

  /** Ends a server in order, and starts one of this version in its place; whether it started. */
  private boolean replace(Run run, Node node) {
    long from = run.history().now();
    assertThat(node.process().terminate()).isZero();
    jars.put(node.name(), Stage.JAR);
    try {
      node.restart();
      return true;
    } catch (IllegalStateException e) {
      assertThat(e).hasMessageContaining(REFUSED);
      return false;
    } finally {
      run.history().excuse(node.name(), from);
    }
  }

  private static void besideEachOther(Run run, Node earlier, Node later) {
    long from = run.history().now();
    awaitEnters(run, later);
    awaitCalls(run, earlier);
    if (earlier.process().log().contains(OUTDATED)) {
      decidesNothing(run, earlier);
    } else {
      awaitEnters(run, earlier);
    }
    System.out.printf(
        "beside each other: %d enters at the earlier server, %d at the later one%n",
        enters(run, earlier, from), enters(run, later, from));
  }

  /** It has noticed; what it was asked before may still have been in time. */
  private static void decidesNothing(Run run, Node outdated) {
    long noticed = run.history().now();
    awaitCalls(run, outdated);
    assertThat(enters(run, outdated, noticed)).isZero();
    System.out.println("the earlier server has noticed, and decides nothing");
  }

  private static void theEarlierOneGoesOn(Run run, Node earlier) {
    System.out.println("the later server does not start as long as the earlier one decides");
    awaitEnters(run, earlier);
  }

  private static long seed() {
    return Long.getLong("crash.seed", 1);
  }

  private static long enters(Run run, Node node, long from) {
    return run.history().count(call -> isEnter(call, node) && call.asked() >= from);
  }

  private static boolean isEnter(Call call, Node node) {
    return call.act() == Act.ENTER && call.isOk() && call.server().equals(node.name());
  }

  private static void awaitEnters(Run run, Node node) {
    run.awaitCalls(SOME, "enters at " + node.name(), call -> isEnter(call, node));
  }

  private static void awaitCalls(Run run, Node node) {
    run.awaitCalls(SOME, "calls at " + node.name(), call -> call.server().equals(node.name()));
  }
}
