package io.naru.bench.scenario;

import io.naru.bench.report.Row;
import io.naru.bench.report.Unit;
import io.naru.bench.servers.Naru;
import io.naru.bench.servers.Queue;
import io.naru.bench.servers.Store;
import io.naru.testkit.Poll;
import io.naru.testkit.PostgresServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * As many as {@code --waiting} says in one line, beside a tenth of them, on a server with Redis and
 * on one with the line in its memory: what they take, how fast people enter, ask and are let in,
 * and how soon a lost copy is back.
 */
final class Longest implements Scenario {

  private static final int BATCH = 10_000;
  private static final int ADMITTED = 50_000;
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final double MEGABYTE = 1 << 20;

  @Override
  public String name() {
    return "longest";
  }

  @Override
  public void run(Stage stage, Consumer<Row> rows) {
    var waiting = stage.pace().waiting();
    // A copy takes some 250 bytes for each, and is there twice while it is built anew.
    var heap = "-Xmx%dm".formatted(2_048 + waiting / 2_000);
    try (var postgres = PostgresServer.start();
        var shared = Store.postgres(postgres);
        var alone = Store.postgresAlone(postgres)) {
      var onRedis = new Course("on Redis", stage, shared, heap);
      var inMemory = new Course("in memory", stage, alone, heap);
      try {
        var courses = List.of(onRedis, inMemory);
        courses.forEach(course -> course.fill(waiting, rows));
        var contest = new Contest(stage);
        courses.forEach(course -> course.calls().forEach(contest::add));
        contest.hold();
        courses.forEach(course -> course.calls().forEach(call -> rows.accept(call.row())));
        rows.accept(Rebuild.measure(stage, onRedis.naru, onRedis.queue()));
        rows.accept(inMemory.restarted());
        courses.forEach(course -> rows.accept(course.admissions()));
      } finally {
        onRedis.naru.close();
        inMemory.naru.close();
      }
    }
  }

  /** One of the servers, and its two lines. */
  private static final class Course {
    private final String where;
    private final Stage stage;
    private final Store store;
    private final String heap;
    private final List<Queue> queues = new ArrayList<>();
    private final List<Contender> calls = new ArrayList<>();
    private Naru naru;

    Course(String where, Stage stage, Store store, String heap) {
      this.where = where;
      this.stage = stage;
      this.store = store;
      this.heap = heap;
      this.naru = stage.start(store, heap);
    }

    /** The long line. */
    Queue queue() {
      return queues.getLast();
    }

    List<Contender> calls() {
      return calls;
    }

    void fill(int waiting, Consumer<Row> rows) {
      for (int length : List.of(waiting / 10, waiting)) {
        var before = naru.vitals().collect();
        var redisBefore = naru.hasRedis() ? naru.redisBytes() : 0;
        var queue = naru.openQueue();
        queues.add(queue);
        var start = System.nanoTime();
        stage.fill(naru, queue, length);
        var seconds = (System.nanoTime() - start) / 1e9;
        rows.accept(
            Row.of(
                "enter until %,d wait, %s".formatted(length, where),
                length / seconds,
                Unit.PER_SECOND));
        var each = (naru.vitals().collect() - before) / (double) length;
        var row =
            Row.of("heap per waiting user, %,d, %s".formatted(length, where), each, Unit.BYTES);
        rows.accept(
            naru.hasRedis()
                ? row.note(
                    "and %.0f bytes of Redis"
                        .formatted((naru.redisBytes() - redisBefore) / (double) length))
                : row.note("%.0f MB resident".formatted(naru.vitals().residentBytes() / MEGABYTE)));
        call("enter, %,d waiting, %s".formatted(length, where), queue, true);
        call("status, %,d waiting, %s".formatted(length, where), queue, false);
      }
    }

    private void call(String name, Queue queue, boolean isEnter) {
      calls.add(
          new Contender(
              name,
              naru.target(),
              Contender.settled(queue.users(), isEnter ? queue::enter : queue::status)));
    }

    Row admissions() {
      var row = Admissions.measure(stage, naru, queue(), BATCH, ADMITTED);
      return row.row("admissions, %s".formatted(where));
    }

    /** A copy in memory is lost with its server. */
    Row restarted() {
      naru.close();
      var start = System.nanoTime();
      naru = stage.start(store, heap);
      var ready = Duration.ofNanos(System.nanoTime() - start);
      for (var queue : queues) {
        Poll.until(PATIENCE, () -> "the copy is not whole", () -> naru.admin().isComparable(queue));
      }
      var whole = Duration.ofNanos(System.nanoTime() - start);
      stage.progress().say("copies whole %d ms after the start".formatted(whole.toMillis()));
      return Row.of("copies whole after a start, " + where, whole.toNanos() / 1e6, Unit.MILLIS)
          .note("both lines; ready after %,d ms".formatted(ready.toMillis()));
    }
  }
}
