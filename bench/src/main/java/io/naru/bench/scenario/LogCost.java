package io.naru.bench.scenario;

import io.naru.bench.report.Row;
import io.naru.bench.servers.Naru;
import io.naru.bench.servers.Queue;
import io.naru.bench.servers.Store;
import io.naru.bench.servers.Vitals;
import io.naru.testkit.PostgresServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * What a public log costs: processor time of the server and its database together, per enter and
 * per admission, of a queue with a log beside one without, in turns on the same server.
 */
final class LogCost implements Scenario {

  private static final double PER_SECOND = 1_000;
  private static final int CONNECTIONS = 64;
  private static final int LEAST_ROUNDS = 5;
  private static final int BATCH = 1_000;

  /** As many as take the processor long enough for the rest of the machine not to matter. */
  private static final int ADMITTED = 20_000;

  private static final int MAX_CAPACITY = 10_000_000;

  /** A log is a second behind; what it does then belongs to what is measured. */
  private static final Duration CATCHING_UP = Duration.ofMillis(2_500);

  @Override
  public String name() {
    return "log";
  }

  @Override
  public void run(Stage stage, Consumer<Row> rows) {
    try (var postgres = PostgresServer.start();
        var store = Store.postgres(postgres);
        var naru = stage.start(store)) {
      var database = new Vitals(postgres.pid());
      var plain = new Course("no log", naru.openQueue());
      var logged = new Course("log", naru.openLoggedQueue());
      for (var course : List.of(plain, logged)) {
        naru.admin().activate(course.queue, MAX_CAPACITY, 1, 3_600);
        course.round(stage, naru, database);
        course.forget();
      }
      int rounds = Math.max(LEAST_ROUNDS, stage.pace().rounds());
      for (int round = 1; round <= rounds; round++) {
        // There and back: neither always comes right after the other.
        for (var course : round % 2 == 1 ? List.of(plain, logged) : List.of(logged, plain)) {
          course.round(stage, naru, database);
          stage
              .progress()
              .say(
                  "round %d of %d: %-6s  %.0f µs per enter, %.0f µs per admission"
                      .formatted(
                          round,
                          rounds,
                          course.name,
                          course.enters.getLast(),
                          course.admissions.getLast()));
        }
      }
      rows.accept(row("processor time of an enter, no log", plain.enters));
      rows.accept(Costs.beside("the same, with a log", plain.enters, logged.enters));
      rows.accept(row("processor time of an admission, no log", plain.admissions));
      rows.accept(Costs.beside("the same, with a log", plain.admissions, logged.admissions));
    }
  }

  private static Row row(String what, List<Double> rounds) {
    return Costs.alone(what, rounds).note("server and database");
  }

  /** A queue, and what it took in each round, in microseconds. */
  private static final class Course {
    private final String name;
    private final Queue queue;
    private final List<Double> enters = new ArrayList<>();
    private final List<Double> admissions = new ArrayList<>();

    Course(String name, Queue queue) {
      this.name = name;
      this.queue = queue;
    }

    void forget() {
      enters.clear();
      admissions.clear();
    }

    void round(Stage stage, Naru naru, Vitals database) {
      var before = cpu(naru, database);
      var sample =
          stage
              .load()
              .offer(naru.target(), queue.enter(), CONNECTIONS, PER_SECOND, stage.pace().round());
      Watch.pause(CATCHING_UP);
      double entered = sample.perSecond() * stage.pace().round().toMillis() / 1e3;
      enters.add(cpu(naru, database).minus(before).toNanos() / 1e3 / entered);
      int people = Math.min(ADMITTED, stage.pace().waiting());
      stage.fill(naru, queue, queue.users().count() + people);
      Watch.pause(CATCHING_UP);
      before = cpu(naru, database);
      long admitted = 0;
      int some = BATCH;
      while (some > 0 && admitted < people) {
        some = naru.admin().process(queue, BATCH);
        admitted += some;
      }
      Watch.pause(CATCHING_UP);
      admissions.add(cpu(naru, database).minus(before).toNanos() / 1e3 / Math.max(1, admitted));
    }

    private static Duration cpu(Naru naru, Vitals database) {
      return naru.vitals().cpu().plus(database.cpuOfAll());
    }
  }
}
