package io.naru.bench.scenario;

import io.naru.bench.report.Row;
import io.naru.bench.report.Unit;
import io.naru.bench.servers.Naru;
import io.naru.bench.servers.Queue;
import io.naru.bench.servers.Store;
import io.naru.testkit.KafkaServer;
import io.naru.testkit.Poll;
import io.naru.testkit.PostgresServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * What it costs that Kafka is told: processor time of the server per enter, of a queue whose events
 * go there beside one of which nothing does, in turns on the same server. And how fast events get
 * there that had to wait for a broker that was away.
 */
final class KafkaCost implements Scenario {

  private static final double OWED_EVENTS = 20_000;
  private static final double PER_SECOND = 1_000;
  private static final int CONNECTIONS = 64;
  private static final int LEAST_ROUNDS = 5;
  private static final int BACKLOG = 200_000;
  private static final int MAX_CAPACITY = 10_000_000;
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final String EVENTS = "naru_kafka_events_total";

  /** Events are brought on a quarter of a second later; that belongs to what is measured. */
  private static final Duration CATCHING_UP = Duration.ofMillis(1_500);

  @Override
  public String name() {
    return "kafka";
  }

  @Override
  public void run(Stage stage, Consumer<Row> rows) {
    try (var postgres = PostgresServer.start();
        var kafka = KafkaServer.start();
        var store = Store.postgres(postgres).with("--kafka", kafka.brokers());
        var naru = stage.start(store)) {
      var silent = new Course("nothing", naru.openQueue(), "[]");
      var usual = new Course("usual", naru.openQueue(), "null");
      var all = new Course("joins too", naru.openQueue(), "[\"joined\",\"entered\",\"left\"]");
      List<Course> there = List.of(silent, usual, all);
      for (var course : there) {
        naru.admin().activate(course.queue, MAX_CAPACITY, 1, 3_600);
        naru.admin().tell(course.queue, course.events);
        course.round(stage, naru);
        course.enters.clear();
      }
      int rounds = Math.max(LEAST_ROUNDS, stage.pace().rounds());
      for (int round = 1; round <= rounds; round++) {
        // There and back: none always comes right after the same other one.
        for (var course : round % 2 == 1 ? there : there.reversed()) {
          course.round(stage, naru);
          stage
              .progress()
              .say(
                  "round %d of %d: %-9s  %.0f µs per enter"
                      .formatted(round, rounds, course.name, course.enters.getLast()));
        }
      }
      rows.accept(
          Costs.alone("processor time of an enter, no events", silent.enters)
              .note("of the server"));
      rows.accept(Costs.beside("the same, the usual events to Kafka", silent.enters, usual.enters));
      rows.accept(Costs.beside("the same, joins too", silent.enters, all.enters));
      rows.accept(backlog(stage, naru, kafka, all.queue));
    }
  }

  /** People join while the broker is away; then everything is brought on. */
  private static Row backlog(Stage stage, Naru naru, KafkaServer kafka, Queue queue) {
    kafka.kill();
    stage.fill(naru, queue, queue.users().count() + BACKLOG);
    double before = naru.metric(EVENTS);
    kafka.restart();
    Poll.until(PATIENCE, () -> "no event gets to Kafka", () -> naru.metric(EVENTS) > before);
    double first = naru.metric(EVENTS);
    long start = System.nanoTime();
    Poll.until(
        PATIENCE,
        () -> "not all events get to Kafka: " + (naru.metric(EVENTS) - before),
        () -> naru.metric(EVENTS) >= before + BACKLOG);
    double seconds = (System.nanoTime() - start) / 1e9;
    double perSecond = (before + BACKLOG - first) / seconds;
    return Row.of("events into the topic, after an outage", perSecond, Unit.PER_SECOND)
        .note("%,d waited".formatted(BACKLOG))
        .owes("%,.0f".formatted(OWED_EVENTS), perSecond >= OWED_EVENTS);
  }

  /** A queue, what is told of it, and what an enter took in each round, in microseconds. */
  private static final class Course {
    private final String name;
    private final Queue queue;
    private final String events;
    private final List<Double> enters = new ArrayList<>();

    Course(String name, Queue queue, String events) {
      this.name = name;
      this.queue = queue;
      this.events = events;
    }

    void round(Stage stage, Naru naru) {
      var before = naru.vitals().cpu();
      var sample =
          stage
              .load()
              .offer(naru.target(), queue.enter(), CONNECTIONS, PER_SECOND, stage.pace().round());
      Watch.pause(CATCHING_UP);
      double entered = sample.perSecond() * stage.pace().round().toMillis() / 1e3;
      enters.add(naru.vitals().cpu().minus(before).toNanos() / 1e3 / entered);
    }
  }
}
