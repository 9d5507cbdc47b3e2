package io.naru.bench.scenario;

import io.naru.bench.report.Row;
import io.naru.bench.report.Unit;
import io.naru.bench.servers.Departures;
import io.naru.bench.servers.GateProcess;
import io.naru.bench.servers.Naru;
import io.naru.bench.servers.Queue;
import io.naru.bench.servers.Store;
import io.naru.testkit.PostgresServer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

/**
 * What gates must know at 5,000 turns a second and passes of five minutes: one and a half times as
 * many turns that are over as {@code --waiting} says. How a gate that is new gets to know them,
 * from a server that has just started and from one that knows them; what they take in memory; how
 * soon one more is refused, also by a gate whose server was replaced by one that has just started;
 * and what the asking costs.
 *
 * <p>Nearly everybody is put into the ledger by SQL, before the server starts.
 */
final class TurnsOver implements Scenario {

  private static final int OWED_TURNS = 1_500_000;
  private static final double OWED_BYTES = 16;
  private static final double OWED_MILLIS = 5_000;

  /** Those whose turn ends while somebody looks. */
  private static final int PEOPLE = 20;

  private static final Duration WITHIN = Duration.ofSeconds(8);

  /** So many, and so often, that their cost shows beside what a server does anyway. */
  private static final int GATES = 4;

  private static final Duration OFTEN = Duration.ofMillis(100);

  private static final Duration METERED = Duration.ofSeconds(10);
  private static final int TELL = 500_000;

  @Override
  public String name() {
    return "turns-over";
  }

  @Override
  public void run(Stage stage, Consumer<Row> rows) {
    long turns = stage.pace().waiting() * 3L / 2;
    try (var postgres = PostgresServer.start("max_wal_size=8GB")) {
      var url = postgres.fresh();
      try (var store = Store.postgresAlone(postgres, url)) {
        Queue queue;
        try (var naru = stage.start(store)) {
          queue = naru.openQueue();
          var _ = naru.admin().passOfFirst(queue);
          naru.admin().leaveFirst(queue);
        }
        fill(stage, postgres, url, queue, turns);
        try (var naru = stage.start(store)) {
          var course = new Course(stage, naru, naru.here(queue), turns, rows);
          course.run();
          course.replaceServer(store);
        }
      }
    }
  }

  private static void fill(
      Stage stage, PostgresServer postgres, String url, Queue queue, long turns) {
    try (var connection = postgres.connect(url)) {
      new Departures(
              connection,
              queue,
              people -> {
                if (people % TELL == 0) {
                  stage.progress().say("%,d turns are over".formatted(people));
                }
              })
          .add(turns);
    } catch (SQLException e) {
      throw new IllegalStateException("people cannot be put into the ledger", e);
    }
  }

  private record Course(Stage stage, Naru naru, Queue queue, long turns, Consumer<Row> rows) {

    void run() {
      long heapBefore = naru.vitals().collect();
      try (var first = GateProcess.start(naru, queue)) {
        var row = known(first, "gate knows %,d, server just started".formatted(turns));
        double each = (naru.vitals().collect() - heapBefore) / (double) turns;
        rows.accept(row.note("%.0f bytes of the server's heap each".formatted(each)));
      }
      long heapOfNone = heapOfGateWithout();
      var cpuBefore = naru.vitals().cpu();
      try (var gate = GateProcess.start(naru, queue)) {
        var row = known(gate, "gate knows %,d".formatted(turns));
        rows.accept(
            row.note(
                "processor time: server %,d ms, gate %,d ms with the start of its JVM"
                    .formatted(
                        naru.vitals().cpu().minus(cpuBefore).toMillis(),
                        gate.vitals().cpu().toMillis())));
        rows.accept(memory(gate, heapOfNone));
        rows.accept(refusal(gate));
      }
      polls();
    }

    private Row known(GateProcess gate, String what) {
      var taken = gate.readyAfter();
      stage.progress().say("%s after %,d ms".formatted(what, taken.toMillis()));
      return Row.of(what, taken.toNanos() / 1e6, Unit.MILLIS);
    }

    /** A gate of another queue, in which nobody's turn is over. */
    private long heapOfGateWithout() {
      var other = naru.openQueue();
      try (var gate = GateProcess.start(naru, other)) {
        var _ = gate.readyAfter();
        return gate.vitals().collect();
      }
    }

    private Row memory(GateProcess gate, long without) {
      double each = (gate.vitals().collect() - without) / (double) turns;
      var row = Row.of("heap of a gate per turn that is over", each, Unit.BYTES);
      return doubted(row)
          .note("%.1f bytes".formatted(each))
          .owes("at most 16 bytes", each <= OWED_BYTES);
    }

    private Row doubted(Row row) {
      return turns < OWED_TURNS ? row.doubt("owed for %,d".formatted(OWED_TURNS)) : row;
    }

    private Row refusal(GateProcess gate) {
      return leaving(naru, letIn(gate), "turn over to refused at a gate");
    }

    /** Another one takes its port, and a gate that is new makes it read all of them meanwhile. */
    void replaceServer(Store store) {
      try (var gate = GateProcess.start(naru, queue)) {
        stage
            .progress()
            .say("gate knows them after %,d ms".formatted(gate.readyAfter().toMillis()));
        var people = letIn(gate);
        naru.close();
        try (var fresh = stage.startInPlaceOf(naru, store);
            var newGate = GateProcess.start(fresh, queue)) {
          rows.accept(leaving(fresh, people, "turn over to refused, server just replaced"));
          rows.accept(known(newGate, "new gate knows %,d meanwhile".formatted(turns)));
        }
      }
    }

    /** Somebody inside, and the moment at which the gate refuses them. */
    private record Insider(String user, CompletableFuture<Long> refused) {}

    private List<Insider> letIn(GateProcess gate) {
      naru.admin().activate(queue, 10 * PEOPLE, 10 * PEOPLE, 1);
      long before = queue.users().count();
      stage.fill(naru, queue, before + PEOPLE);
      List<Insider> people = new ArrayList<>();
      for (int i = 0; i < PEOPLE; i++) {
        var user = queue.users().name(before + i);
        people.add(new Insider(user, gate.refusedAt(naru.admin().pass(queue, user))));
      }
      return people;
    }

    /** People leave, each at a moment of no meaning to the gate. */
    private Row leaving(Naru from, List<Insider> people, String what) {
      var millis =
          people.stream()
              .map(
                  one ->
                      CompletableFuture.supplyAsync(
                          () -> leave(from, one), Thread::startVirtualThread))
              .toList()
              .stream()
              .map(CompletableFuture::join)
              .sorted()
              .toList();
      double worst = millis.getLast();
      return doubted(Row.of(what, worst, Unit.MILLIS))
          .latency(millis.get(PEOPLE / 2), worst)
          .note("the last of %d people".formatted(PEOPLE))
          .owes("at most 5 s", worst <= OWED_MILLIS);
    }

    private double leave(Naru from, Insider one) {
      Watch.pause(Duration.ofMillis(ThreadLocalRandom.current().nextLong(WITHIN.toMillis())));
      from.admin().leave(queue, one.user);
      long left = System.nanoTime();
      return (one.refused.join() - left) / 1e6;
    }

    private void polls() {
      double perSecond = GATES * 1e3 / OFTEN.toMillis();
      double asked;
      try (var gates = GateProcess.start(naru, queue, GATES, OFTEN)) {
        var _ = gates.readyAfter();
        // Until what runs all the time has been compiled.
        Watch.pause(METERED);
        var server = Meter.of(naru.vitals());
        var asking = Meter.of(gates.vitals());
        Watch.pause(METERED);
        asked = server.stop().corePercent();
        rows.accept(poll("gate", asking.stop().corePercent() / perSecond));
      }
      // Afterwards: before, it would still be busy with what it was asked last.
      var alone = Meter.of(naru.vitals());
      Watch.pause(METERED);
      rows.accept(poll("server", (asked - alone.stop().corePercent()) / perSecond));
    }

    /** A hundredth of a core for a second is 10 ms. */
    private static Row poll(String whose, double percentSeconds) {
      return Row.of(
              "processor time of a poll with nothing new, %s".formatted(whose),
              percentSeconds * 10_000,
              Unit.MICROS)
          .note("keys, revocations and turns together");
    }
  }
}
