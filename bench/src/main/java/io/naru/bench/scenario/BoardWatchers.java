package io.naru.bench.scenario;

import io.naru.bench.load.Target;
import io.naru.bench.load.Template;
import io.naru.bench.report.Row;
import io.naru.bench.report.Unit;
import io.naru.bench.servers.Naru;
import io.naru.bench.servers.Queue;
import io.naru.bench.servers.Store;
import io.naru.bench.servers.Watchers;
import io.naru.testkit.NginxServer;
import java.io.File;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Everybody who waits lives on the board, behind an nginx that keeps it for a second: what of that
 * reaches the server, and whether each works out the place that the server says.
 */
final class BoardWatchers implements Scenario {

  private static final int OWED_WAITING = 50_000;
  private static final double OWED_PER_SECOND = 2;
  private static final int CONNECTIONS = 64;
  private static final double LOOKS_PER_SECOND = 2_000;

  @Override
  public String name() {
    return "board";
  }

  @Override
  public void run(Stage stage, Consumer<Row> rows) {
    Optional<Path> nginx = nginx();
    if (nginx.isEmpty()) {
      stage.found("nginx", NginxServer.HOW);
      return;
    }
    var waiting = Math.min(OWED_WAITING, stage.pace().waiting());
    try (var store = Store.sqlite();
        var naru = stage.start(store)) {
      var queue = naru.openQueue();
      if (!Watchers.hasTickets(naru, queue)) {
        stage.found("board", "this server counts no tickets");
        return;
      }
      List<String> tokens = stage.enter(naru.target(), queue, waiting);
      try (var cache = Watchers.cache(nginx.get(), naru)) {
        watch(stage, naru, queue, cache, tokens, rows);
      }
    }
  }

  /** As the tests find it. */
  static Optional<Path> nginx() {
    String named = System.getenv("NARU_NGINX");
    if (named != null) {
      return Optional.of(Path.of(named));
    }
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    return Stream.concat(Stream.of(path.split(File.pathSeparator, -1)), Stream.of("/usr/sbin"))
        .filter(folder -> !folder.isEmpty())
        .map(folder -> Path.of(folder, "nginx"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  private static void watch(
      Stage stage,
      Naru naru,
      Queue queue,
      NginxServer cache,
      List<String> tokens,
      Consumer<Row> rows) {
    var watchers = new Watchers(naru, queue, cache, tokens);
    // A part of them asks for real, as fast as the rest of this machine allows; all of them reckon.
    var looks =
        CompletableFuture.supplyAsync(
            () ->
                stage
                    .load()
                    .offer(
                        Target.http(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), cache.port())),
                        Template.http("GET", "127.0.0.1:" + cache.port(), watchers.path()).always(),
                        CONNECTIONS,
                        LOOKS_PER_SECOND,
                        stage.pace().round()));
    long before = watchers.boardsFetched();
    long start = System.nanoTime();
    while (!looks.isDone()) {
      watchers.move();
      watchers.look();
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    double fetched = (watchers.boardsFetched() - before) / seconds;
    var sample = looks.join();
    rows.accept(
        Row.of("boards that reach the server", fetched, Unit.PER_SECOND)
            .note("%,.0f/s looked at, %,d wait".formatted(sample.perSecond(), tokens.size()))
            .owes("at most 2/s", fetched <= OWED_PER_SECOND && sample.failures() == 0));
    watchers.settle(Duration.ofSeconds(30));
    long wrong = watchers.wrong();
    rows.accept(
        Row.of("places that differ from the server's after quiet", (double) wrong, Unit.COUNT)
            .note("of %,d; %,d rose on the way".formatted(watchers.waiting(), watchers.rises()))
            .owes("none, and none that rose", wrong == 0 && watchers.rises() == 0));
  }
}
