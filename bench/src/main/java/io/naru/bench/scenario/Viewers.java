package io.naru.bench.scenario;

import io.naru.bench.report.Against;
import io.naru.bench.report.Row;
import io.naru.bench.report.Unit;
import io.naru.bench.scenario.Watch.Watched;
import io.naru.bench.servers.Naru;
import io.naru.bench.servers.Store;
import io.naru.bench.servers.Vitals;
import io.naru.bench.viewers.Audience;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Consumer;

/** Open streams at one server: how soon a move is seen, and what it takes to show it. */
final class Viewers implements Scenario {

  /** The number of viewers our floors are about. */
  static final int OWED = 15_000;

  private static final double OWED_CORE_PERCENT = 25;
  private static final double OWED_BYTES = 16 * 1_024;
  private static final double OWED_REDIS_RATIO = 1.2;
  private static final double OWED_OF_PEER = 0.2;

  @Override
  public String name() {
    return "viewers";
  }

  @Override
  public void run(Stage stage, Consumer<Row> rows) {
    Watched most;
    try (var store = Store.redis(Optional.empty());
        var naru = stage.start(store)) {
      most = compare(stage, naru, rows);
    }
    var peers = stage.peer().map(peer -> PeerViewers.measure(stage, peer, rows));
    rows.accept(perViewer(most, peers.orElse(OptionalDouble.empty())));
    if (!stage.pace().oneServer()) {
      withSqlite(stage, rows);
    }
  }

  private static Watched compare(Stage stage, Naru naru, Consumer<Row> rows) {
    var numbers = stage.pace().streams().viewers();
    // The small audience comes first, so that the server is warm when memory is looked at.
    var few = measure(stage, naru, numbers.getFirst(), _ -> {});
    var some = rowsOf(few);
    List.of(some.moved(), some.cpuMoving(), some.redisMoving(), some.redisStill()).forEach(rows);
    var many = measure(stage, naru, numbers.getLast(), rows);
    all(many, rows);
    var row = rowsOf(many);
    var ratio = many.moving().redisCommands() / few.moving().redisCommands();
    rows.accept(
        row.owing(
            row.redisMoving().note("%.2f × those at %,d".formatted(ratio, numbers.getFirst())),
            "at most 1.2 ×",
            ratio <= OWED_REDIS_RATIO));
    rows.accept(row.redisStill());
    return many;
  }

  private static void all(Watched watched, Consumer<Row> rows) {
    var row = rowsOf(watched);
    rows.accept(row.first());
    rows.accept(row.moved());
    rows.accept(row.movedFar());
    rows.accept(row.entered());
    rows.accept(
        row.owing(
            row.cpuMoving(), "at most 25 %", watched.moving().corePercent() <= OWED_CORE_PERCENT));
    rows.accept(row.cpuStill());
  }

  private static WatchRows rowsOf(Watched watched) {
    return new WatchRows(watched, "%,d viewers".formatted(watched.viewers()), OWED);
  }

  private static Watched measure(Stage stage, Naru naru, int viewers, Consumer<Row> rows) {
    var queue = Watch.openLine(naru);
    var tokens = stage.enter(naru.target(), queue, Watch.lineFor(viewers, stage));
    var memory = new Memory(naru.vitals());
    var server = naru.target().addresses().getFirst();
    try (var audience = new Audience(queue.subscription(server))) {
      tokens.stream().limit(viewers).forEach(audience::open);
      var watched = Watch.measure(stage, List.of(naru), queue, List.of(audience), viewers);
      rows.accept(memory.row(rowsOf(watched), viewers));
      return watched;
    } finally {
      // Each queue has its own beat: the next audience is not to be charged for this one's.
      naru.remove(queue);
    }
  }

  /** What a process has in memory, from before it had viewers. */
  private static final class Memory {

    private final Vitals process;
    private final long heapBefore;
    private final long before;

    Memory(Vitals process) {
      this.process = process;
      this.heapBefore = process.collect();
      this.before = process.residentBytes();
    }

    Row row(WatchRows rows, int viewers) {
      var each = (process.residentBytes() - before) / (double) viewers;
      var heap = (process.collect() - heapBefore) / (double) viewers;
      return rows.owing(
          rows.of("process memory per stream, ", each, Unit.BYTES)
              .note("resident, as it ran; %,.0f bytes of it heap in use".formatted(heap)),
          "at most 16 KB",
          each <= OWED_BYTES);
    }
  }

  private static Row perViewer(Watched watched, OptionalDouble peer) {
    var each = watched.moving().corePercent() * 1_000 / watched.viewers();
    var row = rowsOf(watched).of("CPU per 1,000 viewers, of ", each, Unit.CORE_PERCENT);
    if (peer.isEmpty()) {
      return row;
    }
    var ratio = each / peer.getAsDouble();
    return row.against(Against.PEER, ratio)
        .note("the peer takes %.1f × as much".formatted(1 / ratio))
        .owes("at most 1/5 of peer", ratio <= OWED_OF_PEER);
  }

  /** The same with what one gets without options: SQLite, the line in memory. */
  private static void withSqlite(Stage stage, Consumer<Row> rows) {
    try (var store = Store.sqlite();
        var naru = stage.start(store)) {
      var viewers = stage.pace().streams().viewers().getLast();
      var watched = measure(stage, naru, viewers, _ -> {});
      var row = new WatchRows(watched, "%,d viewers, SQLite".formatted(watched.viewers()), OWED);
      List.of(
              row.first(),
              row.moved(),
              row.movedFar(),
              row.entered(),
              row.cpuMoving(),
              row.cpuStill())
          .forEach(rows);
    }
  }
}
