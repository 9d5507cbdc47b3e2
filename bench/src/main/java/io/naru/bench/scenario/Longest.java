package io.naru.bench.scenario;

import io.naru.bench.report.Row;
import io.naru.bench.report.Unit;
import io.naru.bench.servers.Arrivals;
import io.naru.bench.servers.Naru;
import io.naru.bench.servers.Queue;
import io.naru.bench.servers.Store;
import io.naru.testkit.Poll;
import io.naru.testkit.PostgresServer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * As many as {@code --waiting} says in one line, beside a tenth of them in another, on a server
 * with Redis and then on one with the lines in its memory: what they take, how fast people enter,
 * ask and are let in, and how soon a copy is whole, after a start and after it was lost.
 *
 * <p>Both servers have the same ledger, one after the other, and nearly everybody is put there by
 * SQL: how fast people enter is measured when the line is long, not while it gets so.
 */
final class Longest implements Scenario {

  /** Few enough to be let in by one call also where a busy machine takes its time. */
  private static final int BATCH = 2_000;

  private static final int ADMITTED = 50_000;

  /** Nor more than that share of a line: the second server finds it nearly as long as the first. */
  private static final double ADMITTED_SHARE = 0.05;

  /**
   * The share of a line that enters while it is measured, on both servers and with what warms them
   * up: the longest that may be takes no more.
   */
  private static final double LEFT = 0.15;

  private static final Duration PATIENCE = Duration.ofMinutes(15);
  private static final int TELL = 1_000_000;
  private static final double MEGABYTE = 1 << 20;

  @Override
  public String name() {
    return "longest";
  }

  @Override
  public void run(Stage stage, Consumer<Row> rows) {
    int waiting = stage.pace().waiting();
    // Without a checkpoint every few seconds while the line is put there.
    try (var postgres = PostgresServer.start("max_wal_size=8GB")) {
      var url = postgres.fresh();
      try (var shared = Store.postgres(postgres, url);
          var alone = Store.postgresAlone(postgres, url)) {
        var lines = new Lines(stage, postgres, url, waiting);
        var empty = lines.open(shared);
        var courses =
            List.of(new Course("on Redis", lines, shared), new Course("in memory", lines, alone));
        lines.fill(0);
        courses.forEach(course -> course.run(1, empty, rows));
        lines.fill(1);
        courses.forEach(course -> course.run(2, empty, rows));
      }
    }
  }

  /** How many of a line are let in on each server. */
  private static int admitted(long length) {
    return (int) Math.max(1, Math.min(ADMITTED, length * ADMITTED_SHARE));
  }

  /** What servers take without anybody in line. */
  private record Empty(long heap, long redis) {}

  /** The two lines, the shorter one first. */
  private static final class Lines {
    private final Stage stage;
    private final PostgresServer postgres;
    private final String url;
    private final List<Integer> lengths;
    private final List<Queue> queues = new ArrayList<>();

    Lines(Stage stage, PostgresServer postgres, String url, int waiting) {
      this.stage = stage;
      this.postgres = postgres;
      this.url = url;
      this.lengths = List.of(waiting / 10, waiting);
    }

    Naru start(Store store) {
      // A copy takes some 250 bytes for each; what is let go while it is built comes on top.
      return stage.start(store, "-Xmx%dm".formatted(2_048 + lengths.getLast() / 2_500));
    }

    /** Opens them, with the first of each. */
    Empty open(Store store) {
      try (var naru = start(store)) {
        for (int _ : lengths) {
          var queue = naru.openQueue();
          naru.admin().keepInside(queue);
          queues.add(queue);
        }
        var empty = new Empty(naru.vitals().collect(), naru.redisBytes());
        queues.forEach(queue -> stage.fill(naru, queue, 1));
        return empty;
      }
    }

    void fill(int line) {
      int length = (int) (lengths.get(line) * (1 - LEFT));
      try (var connection = postgres.connect(url)) {
        new Arrivals(connection, queues.get(line), this::tell).until(length);
      } catch (SQLException e) {
        throw new IllegalStateException("people cannot be put in line", e);
      }
    }

    private void tell(long people) {
      if (people % TELL == 0) {
        stage.progress().say("%,d have a place".formatted(people));
      }
    }
  }

  /** One of the servers. */
  private record Course(String where, Lines lines, Store store) {

    /**
     * @param count of the lines, so many have people in them
     */
    void run(int count, Empty empty, Consumer<Row> rows) {
      var start = System.nanoTime();
      try (var naru = lines.start(store)) {
        var ready = Duration.ofNanos(System.nanoTime() - start);
        var queues = lines.queues.stream().limit(count).map(naru::here).toList();
        rows.accept(whole(naru, queues, start, ready));
        rows.accept(memory(naru, queues, empty));
        if (count == lines.lengths.size()) {
          calls(naru, queues, rows);
        }
        if (naru.hasRedis()) {
          rows.accept(lost(naru, queues.getLast()));
        }
        if (count == lines.lengths.size()) {
          // Last, when everything else was measured with everybody still in line.
          for (int i = 0; i < count; i++) {
            rows.accept(admissions(naru, i));
          }
        }
      }
    }

    private static long people(List<Queue> queues) {
      return queues.stream().mapToLong(queue -> queue.users().count()).sum();
    }

    private Row whole(Naru naru, List<Queue> queues, long start, Duration ready) {
      for (int i = 0; i < queues.size(); i++) {
        var queue = queues.get(i);
        Poll.until(PATIENCE, () -> "the copy is not whole", () -> naru.admin().isComparable(queue));
        long waiting = naru.admin().waiting(queue);
        long mayBeIn = (long) BATCH + admitted(lines.lengths.get(i));
        // By what is put there with SQL nothing may be shown that is not as it would have been.
        if (waiting + mayBeIn < queue.users().count()) {
          throw new IllegalStateException("only %,d wait".formatted(waiting));
        }
      }
      var taken = Duration.ofNanos(System.nanoTime() - start);
      lines.stage.progress().say("copies whole after %,d ms".formatted(taken.toMillis()));
      return Row.of(
              "copies whole after a start, %,d, %s".formatted(people(queues), where),
              taken.toNanos() / 1e6,
              Unit.MILLIS)
          .note("ready after %,d ms".formatted(ready.toMillis()));
    }

    private Row memory(Naru naru, List<Queue> queues, Empty empty) {
      double people = people(queues);
      double each = (naru.vitals().collect() - empty.heap) / people;
      var row =
          Row.of("heap per waiting user, %,.0f, %s".formatted(people, where), each, Unit.BYTES)
              .note("%.0f MB resident".formatted(naru.vitals().residentBytes() / MEGABYTE));
      return naru.hasRedis()
          ? row.note("%.0f bytes of Redis".formatted((naru.redisBytes() - empty.redis) / people))
          : row;
    }

    private void calls(Naru naru, List<Queue> queues, Consumer<Row> rows) {
      var contest = new Contest(lines.stage);
      var all = new ArrayList<Contender>();
      for (int i = 0; i < queues.size(); i++) {
        var queue = queues.get(i);
        int length = lines.lengths.get(i);
        all.add(
            new Contender(
                "enter, %,d waiting, %s".formatted(length, where),
                naru.target(),
                Contender.settled(queue.users(), queue::enter)));
        all.add(
            new Contender(
                "status, %,d waiting, %s".formatted(length, where),
                naru.target(),
                Contender.settled(queue.users(), queue::status)));
      }
      all.forEach(contest::add);
      contest.hold();
      all.forEach(call -> rows.accept(call.row()));
    }

    private Row admissions(Naru naru, int line) {
      int length = lines.lengths.get(line);
      int enough = admitted(length);
      return Admissions.measure(
              lines.stage, naru, naru.here(lines.queues.get(line)), Math.min(BATCH, enough), enough)
          .row("admissions, %,d waiting, %s".formatted(length, where));
    }

    private Row lost(Naru naru, Queue queue) {
      var rebuild = Rebuild.measure(lines.stage, naru, queue, PATIENCE);
      var row =
          Row.of(
              "copy whole after FLUSHALL, %,d".formatted(rebuild.waiting()),
              rebuild.taken().toNanos() / 1e6,
              Unit.MILLIS);
      return rebuild.whole() ? row : row.note("NOT WHOLE when we gave up");
    }
  }
}
