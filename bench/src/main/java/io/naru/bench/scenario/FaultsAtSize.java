package io.naru.bench.scenario;

import io.naru.bench.load.Sample;
import io.naru.bench.load.Traffic;
import io.naru.bench.report.Row;
import io.naru.bench.report.Unit;
import io.naru.bench.servers.Arrivals;
import io.naru.bench.servers.DatabaseConnections;
import io.naru.bench.servers.Naru;
import io.naru.bench.servers.Probe;
import io.naru.bench.servers.Queue;
import io.naru.bench.servers.Store;
import io.naru.testkit.PostgresServer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Servers, Redis and the database are killed and frozen under a long line and many queues, while
 * people go on joining: how soon everybody is answered again, and what the trouble costs meanwhile.
 * Nobody goes in, so that the right place of whoever asks is known.
 */
final class FaultsAtSize implements Scenario {

  private static final int OWED_WAITING = 1_000_000;
  private static final int OWED_QUEUES = 1_000;
  private static final Duration OWED = Duration.ofSeconds(15);

  /** As docs/operations.md says, of each of two servers. */
  private static final int OWED_CONNECTIONS = 2 * 7;

  /** Of one server, within one fault: some for what happened, none for each who asks. */
  private static final int OWED_LINES = 100;

  private static final int JOINS = 500;
  private static final int JOINING = 128;
  private static final Duration FROZEN = Duration.ofSeconds(10);
  private static final Duration STEP = Duration.ofMillis(20);

  /** All is well when it has been for so long. */
  private static final Duration QUIET = Duration.ofSeconds(3);

  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final double MEGABYTE = 1 << 20;

  @Override
  public String name() {
    return "faults";
  }

  @Override
  public void run(Stage stage, Consumer<Row> rows) {
    var waiting = stage.late() ? stage.pace().waiting() / 10 : stage.pace().waiting();
    var queues = Math.clamp(waiting / (OWED_WAITING / OWED_QUEUES), 1, OWED_QUEUES);
    // Without a checkpoint every few seconds while the line is put there.
    try (var postgres = PostgresServer.start("max_wal_size=8GB")) {
      var url = postgres.fresh();
      try (var store = Store.postgres(postgres, url)) {
        ManyQueues.make(stage, postgres, store, url, queues);
        var queue = line(stage, postgres, store, url, waiting);
        try (var site = new Crowded(stage, postgres, store, queue, waiting, queues)) {
          site.run(rows);
        }
      }
    }
  }

  private static Queue line(
      Stage stage, PostgresServer postgres, Store store, String url, int waiting) {
    Queue queue;
    try (var naru = stage.start(store)) {
      queue = naru.openQueue();
      naru.admin().keepInside(queue);
      stage.fill(naru, queue, 1);
    }
    try (var connection = postgres.connect(url)) {
      new Arrivals(connection, queue, _ -> {}).until(waiting);
    } catch (SQLException e) {
      throw new IllegalStateException("people cannot be put in line", e);
    }
    return queue;
  }

  /** Two servers with all of them. */
  private static final class Crowded implements AutoCloseable {

    private final Stage stage;
    private final PostgresServer postgres;
    private final Store store;
    private final Queue queue;
    private final int waiting;
    private final int queues;
    private final DatabaseConnections connections;
    private final Naru[] servers = new Naru[2];
    private long mostLines;
    private long mostBytes;

    Crowded(
        Stage stage, PostgresServer postgres, Store store, Queue queue, int waiting, int queues) {
      this.stage = stage;
      this.postgres = postgres;
      this.store = store;
      this.queue = queue;
      this.waiting = waiting;
      this.queues = queues;
      this.connections = new DatabaseConnections(postgres, store);
      servers[0] = stage.start(store);
      servers[1] = stage.start(store);
    }

    void run(Consumer<Row> rows) {
      awaitQuiet(System.nanoTime());
      stage.progress().say("%,d wait, in one of %,d queues".formatted(waiting, queues + 1));
      rows.accept(row("a server killed", hit(() -> replace(1), true)));
      rows.accept(row("Redis killed, with all it had", hit(store::restartRedis, true)));
      rows.accept(row("Redis frozen for 10 s", hit(this::freezeRedis, true)));
      rows.accept(row("the database killed", hit(postgres::restart, true)));
      rows.accept(row("both servers killed", hit(this::replaceBoth, false)));
      rows.accept(
          owing(
              Row.of("connections to PostgreSQL at most", connections.most(), Unit.COUNT),
              "at most 14",
              connections.most() <= OWED_CONNECTIONS));
      rows.accept(
          owing(
              Row.of("lines in the log of a server, for one fault", (double) mostLines, Unit.LINES),
              "at most 100",
              mostLines <= OWED_LINES));
      rows.accept(
          Row.of("memory of a server at most", (double) mostBytes, Unit.BYTES)
              .note("%,.0f MB resident".formatted(mostBytes / MEGABYTE)));
    }

    private void replace(int server) {
      servers[server].close();
      servers[server] = stage.startInPlaceOf(servers[server], store);
    }

    private void replaceBoth() {
      servers[1].close();
      servers[0].close();
      replace(0);
      replace(1);
    }

    private void freezeRedis() {
      store.freezeRedis();
      Watch.pause(FROZEN);
      store.thawRedis();
    }

    /**
     * What came of a fault.
     *
     * @param wrong how many wrong places were shown
     */
    private record Hit(Duration taken, boolean isWell, long wrong, @Nullable Sample joined) {}

    private Hit hit(Runnable fault, boolean isUnderLoad) {
      var isOver = new AtomicBoolean();
      var enter = servers[0].here(queue).enter();
      Traffic traffic = out -> !isOver.get() && enter.next(out);
      var were = servers.clone();
      long[] before = Arrays.stream(were).mapToLong(Naru::logLines).toArray();
      @Nullable CompletableFuture<Sample> load =
          isUnderLoad ? CompletableFuture.supplyAsync(() -> offer(traffic)) : null;
      Watch.pause(stage.pace().round());
      var start = System.nanoTime();
      fault.run();
      var quiet = awaitQuiet(start);
      isOver.set(true);
      for (int i = 0; i < servers.length; i++) {
        long old = servers[i] == were[i] ? before[i] : 0;
        mostLines = Math.max(mostLines, servers[i].logLines() - old);
        mostBytes = Math.max(mostBytes, servers[i].vitals().residentBytes());
      }
      return new Hit(quiet.taken, quiet.isWell, quiet.wrong, load == null ? null : load.join());
    }

    private Sample offer(Traffic traffic) {
      int joins = Math.clamp(waiting / (OWED_WAITING / JOINS), 10, JOINS);
      return stage.load().offer(servers[0].target(), traffic, JOINING, joins, PATIENCE);
    }

    /** Until everybody has been answered rightly for a while, and the copy is whole. */
    private Hit awaitQuiet(long start) {
      // In the middle, where places from a copy that lacks anybody would be wrong.
      var user = queue.users().name(waiting / 2);
      try (var one = new Probe(servers[0], queue, user, waiting / 2 + 1L);
          var two = new Probe(servers[1], queue, user, waiting / 2 + 1L)) {
        var probes = List.of(one, two);
        long now = System.nanoTime();
        long lastBad = now;
        while (now - lastBad < QUIET.toNanos() && now - start < PATIENCE.toNanos()) {
          connections.look();
          Watch.pause(STEP);
          now = System.nanoTime();
          lastBad = Math.max(lastBad, lastBad(probes));
          if (!isWhole()) {
            lastBad = now;
          }
        }
        boolean isWell = now - lastBad >= QUIET.toNanos();
        var taken = Duration.ofNanos(lastBad - start);
        stage
            .progress()
            .say(
                "well again after %,d ms; last trouble: %s; %s"
                    .formatted(taken.toMillis(), one.trouble(), two.trouble()));
        return new Hit(taken, isWell, one.wrong() + two.wrong(), null);
      }
    }

    private static long lastBad(List<Probe> probes) {
      return probes.stream().mapToLong(Probe::lastBad).max().orElseThrow();
    }

    private boolean isWhole() {
      try (var copy = servers[0].copy(queue)) {
        return copy.isNumbered() && copy.waiting() >= waiting;
      }
    }

    private Row row(String what, Hit hit) {
      var row = Row.of("well again: " + what, hit.taken.toNanos() / 1e6, Unit.MILLIS);
      if (!hit.isWell) {
        row = row.note("NOT WELL when we gave up");
      }
      if (hit.wrong > 0) {
        row = row.note("%,d WRONG places".formatted(hit.wrong));
      }
      if (hit.joined != null) {
        row =
            row.note(
                "%,d joined meanwhile, %,d were refused"
                    .formatted(hit.joined.answers(), hit.joined.failures()));
      }
      boolean isReached = hit.isWell && hit.wrong == 0 && hit.taken.compareTo(OWED) <= 0;
      return owing(row, "at most 15 s", isReached);
    }

    private Row owing(Row row, String floor, boolean isReached) {
      var enough = waiting >= OWED_WAITING && queues >= OWED_QUEUES;
      return (enough
              ? row
              : row.doubt("owed for %,d and %,d queues".formatted(OWED_WAITING, OWED_QUEUES)))
          .owes(floor, isReached);
    }

    @Override
    public void close() {
      connections.close();
      servers[0].close();
      servers[1].close();
    }
  }
}
