package io.naru.e2e.crash;

import static io.naru.testkit.FaultProxy.Way.TO_CLIENT;
import static io.naru.testkit.FaultProxy.Way.TO_SERVER;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.naru.e2e.crash.Plan.Fault;
import io.naru.e2e.crash.Plan.Part;
import io.naru.testkit.FaultProxy;
import io.naru.testkit.PostgresServer;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Breaks what is planned, each part in its own thread, and puts it right again. Each fault is to
 * leave a trace: another process, one that is stopped, bytes that were lost. One without a trace
 * has not happened, and makes the run invalid.
 */
final class Breaker {

  private static final Duration LOOK = Duration.ofMillis(20);

  /** How long something may take beyond its time: to leave a trace, or to be up again. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final Duration START = Duration.ofSeconds(60);
  private static final Duration AGAIN = Duration.ofMillis(300);
  private static final Duration SLOW = Duration.ofSeconds(2);

  private final Stage stage;
  private final Current<RedisServer> redis;
  private final List<History> histories;
  private final String spoiled;
  private final Collection<Fault> underWay = ConcurrentHashMap.newKeySet();
  private final Collection<Fault> happened = new ConcurrentLinkedQueue<>();
  private final Collection<String> failures = new ConcurrentLinkedQueue<>();
  private long began;

  /**
   * @param histories of all queues, in which servers that cannot answer are excused
   * @param spoiled the key that is made one of the wrong type
   */
  Breaker(Stage stage, Current<RedisServer> redis, List<History> histories, String spoiled) {
    this.stage = stage;
    this.redis = redis;
    this.histories = histories;
    this.spoiled = spoiled;
  }

  /** What is broken now. */
  Collection<Fault> underWay() {
    return List.copyOf(underWay);
  }

  Collection<Fault> happened() {
    return List.copyOf(happened);
  }

  /** Does it all; returns once everything is healed. */
  void run(List<Fault> plan) throws InterruptedException {
    began = System.nanoTime();
    List<Thread> threads = new ArrayList<>();
    for (Part part : Part.values()) {
      for (int server = -1; server < 2; server++) {
        int whose = server;
        List<Fault> own =
            plan.stream().filter(it -> it.kind().part == part && it.server() == whose).toList();
        if (!own.isEmpty()) {
          threads.add(Thread.ofVirtual().name("breaker-" + part).start(() -> all(own)));
        }
      }
    }
    for (Thread thread : threads) {
      thread.join();
    }
    InvalidRun.unless(failures.isEmpty(), String.join("; ", failures));
  }

  private void all(List<Fault> faults) {
    for (Fault fault : faults) {
      try {
        sleepUntil(fault.start());
        underWay.add(fault);
        happen(fault);
        happened.add(fault);
      } catch (Exception | InvalidRun e) {
        failures.add(fault + " did not happen: " + e);
        return;
      } finally {
        underWay.remove(fault);
      }
    }
  }

  private void sleepUntil(long millis) throws InterruptedException {
    Thread.sleep(Math.max(0, millis - (System.nanoTime() - began) / 1_000_000));
  }

  private void happen(Fault fault) throws Exception {
    switch (fault.kind()) {
      case KILL_SERVER -> killServer(fault);
      case STOP_SERVER -> stopServer(fault);
      case FREEZE_SERVER -> freezeServer(fault);
      case KILL_REDIS -> killRedis(fault);
      case FREEZE_REDIS -> frozen(fault, redis.get().pid(), redis.get()::freeze, redis.get()::thaw);
      case FLUSH_REDIS -> {
        await("something in Redis", () -> !redis("DBSIZE").equals("0"));
        redis("FLUSHALL");
      }
      case SPOIL_REDIS -> {
        await("a line in Redis", () -> redis("TYPE", spoiled).equals("zset"));
        redis("SET", spoiled, "no sorted set");
      }
      case REPLACE_REDIS -> replaceRedis(fault);
      case KILL_DATABASE -> killDatabase(fault);
      case FREEZE_DATABASE ->
          frozen(fault, stage.server().pid(), stage.server()::freeze, stage.server()::thaw);
      case REPLACE_DATABASE -> replaceDatabase(fault);
      case SLOW_DATABASE -> {
        FaultProxy way = links(fault).toDatabase();
        lastsUntil(fault, () -> way.delay(TO_CLIENT, SLOW), () -> way.passed(TO_CLIENT), way);
      }
      case CUT_COMMITS -> {
        FaultProxy way = links(fault).toDatabase();
        lastsUntil(fault, () -> way.cutAfter("COMMIT"), way::cuts, way);
      }
      case RESET_DATABASE -> {
        FaultProxy way = links(fault).toDatabase();
        long before = way.resets();
        await(
            "link to reset",
            () -> {
              way.reset();
              return way.resets() > before;
            });
      }
      case REFUSE_DATABASE -> refuse(fault, links(fault).toDatabase());
      case REFUSE_REDIS -> refuse(fault, links(fault).toRedis());
      case MUTE_DATABASE -> swallow(fault, links(fault).toDatabase(), TO_CLIENT);
      case MUTE_REDIS -> swallow(fault, links(fault).toRedis(), TO_CLIENT);
      case DEAFEN_REDIS -> swallow(fault, links(fault).toRedis(), TO_SERVER);
    }
  }

  private Stage.Links links(Fault fault) {
    return stage.links(node(fault));
  }

  private Node node(Fault fault) {
    return stage.nodes().get(fault.server());
  }

  // --- servers

  private void killServer(Fault fault) throws InterruptedException {
    Node node = node(fault);
    List<Long> from = now();
    node.process().kill();
    InvalidRun.unless(!node.process().isAlive(), "it still lives");
    Thread.sleep(fault.lasts());
    startAgain(node);
    excuse(node, from);
  }

  private void stopServer(Fault fault) throws InterruptedException {
    Node node = node(fault);
    List<Long> from = now();
    int code = node.process().terminate();
    InvalidRun.unless(code == 0, "it ended with " + code);
    Thread.sleep(fault.lasts());
    startAgain(node);
    excuse(node, from);
  }

  /** As whatever looks after a server does: as often as it takes, while its stores are away. */
  private static void startAgain(Node node) throws InterruptedException {
    long end = System.nanoTime() + START.toNanos();
    while (true) {
      try {
        node.restart();
        return;
      } catch (IllegalStateException e) {
        if (System.nanoTime() - end > 0) {
          throw e;
        }
        Thread.sleep(AGAIN);
      }
    }
  }

  private void freezeServer(Fault fault) throws Exception {
    Node node = node(fault);
    List<Long> from = now();
    try {
      frozen(fault, node.pid(), node.process()::freeze, node.process()::thaw);
    } finally {
      excuse(node, from);
    }
  }

  private List<Long> now() {
    return histories.stream().map(History::now).toList();
  }

  private void excuse(Node node, List<Long> from) {
    for (int i = 0; i < histories.size(); i++) {
      histories.get(i).excuse(node.name(), from.get(i));
    }
  }

  // --- stores

  private void killRedis(Fault fault) throws InterruptedException {
    RedisServer server = redis.get();
    long pid = server.pid();
    server.kill();
    Thread.sleep(fault.lasts());
    server.restart();
    InvalidRun.unless(server.pid() != pid, "it was not killed");
  }

  /** The replica has what it was told until then; nobody waits for it. */
  private void replaceRedis(Fault fault) throws InterruptedException {
    RedisServer master = redis.get();
    RedisServer replica = master.startReplica(RedisBinary.embedded());
    Thread.sleep(fault.lasts());
    master.kill();
    replica.promote();
    stage.retargetRedis(replica.port());
    redis.replace(replica);
    await("another master", () -> redis("INFO", "replication").contains("role:master"));
  }

  /**
   * The database is stopped and started to get its standby, for which every commit waits from then
   * on; then it is lost, and the standby is the primary.
   */
  private void replaceDatabase(Fault fault) throws InterruptedException {
    var primary = (PostgresServer) stage.server();
    PostgresServer standby = primary.startStandby();
    Thread.sleep(fault.lasts());
    primary.awaitStandby();
    primary.kill();
    standby.promote();
    stage.replaceServer(standby);
  }

  private void killDatabase(Fault fault) throws InterruptedException {
    long pid = stage.server().pid();
    stage.server().kill();
    Thread.sleep(fault.lasts());
    stage.server().restart();
    InvalidRun.unless(stage.server().pid() != pid, "it was not killed");
  }

  private void frozen(Fault fault, long pid, Runnable freeze, Runnable thaw) throws Exception {
    freeze.run();
    try {
      await("a stopped process", () -> isStopped(pid));
      Thread.sleep(fault.lasts());
    } finally {
      thaw.run();
    }
    await("a running process", () -> !isStopped(pid));
  }

  private static boolean isStopped(long pid) {
    try {
      var ps = new ProcessBuilder("ps", "-o", "state=", "-p", "" + pid).start();
      try (var out = ps.getInputStream()) {
        return new String(out.readAllBytes(), UTF_8).startsWith("T");
      }
    } catch (IOException e) {
      throw new IllegalStateException("cannot run ps", e);
    }
  }

  private String redis(String... words) {
    try (var connection = redis.get().connect()) {
      return connection.call(words);
    } catch (IOException | RuntimeException e) {
      return "";
    }
  }

  // --- the ways between them

  private static void swallow(Fault fault, FaultProxy way, FaultProxy.Way which) throws Exception {
    lastsUntil(fault, () -> way.swallow(which), () -> way.swallowed(which), way);
  }

  private static void refuse(Fault fault, FaultProxy way) throws Exception {
    lastsUntil(fault, way::refuse, () -> way.resets() + way.refusals(), way);
  }

  /** For as long as planned, and until it has left a trace; then it is healed. */
  private static void lastsUntil(Fault fault, Runnable begin, LongSupplier trace, FaultProxy way)
      throws Exception {
    long before = trace.getAsLong();
    try {
      begin.run();
      Thread.sleep(fault.lasts());
      await(
          "a trace",
          () -> {
            if (trace.getAsLong() > before) {
              return true;
            }
            // What was to be hit may have been lost in another way.
            begin.run();
            return false;
          });
    } finally {
      way.heal();
    }
  }

  private static void await(String what, BooleanSupplier is) throws InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!is.getAsBoolean()) {
      InvalidRun.unless(System.nanoTime() - end < 0, "there was no " + what);
      Thread.sleep(LOOK);
    }
  }
}
