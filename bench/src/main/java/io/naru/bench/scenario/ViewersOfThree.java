package io.naru.bench.scenario;

import io.naru.bench.report.Row;
import io.naru.bench.servers.Naru;
import io.naru.bench.servers.Store;
import io.naru.bench.viewers.AudienceProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** One line watched at three servers with one Redis, by a process of viewers at each. */
final class ViewersOfThree implements Scenario {

  @Override
  public String name() {
    return "viewers-three";
  }

  @Override
  public void run(Stage stage, Consumer<Row> rows) {
    if (stage.pace().streams().perServer() == 0) {
      stage.progress().say("left out: too heavy for a quick run");
      return;
    }
    try (var store = Store.redis(Optional.empty());
        var one = stage.start(store);
        var two = stage.start(store);
        var three = stage.start(store)) {
      measure(stage, List.of(one, two, three), rows);
    }
  }

  private static void measure(Stage stage, List<Naru> servers, Consumer<Row> rows) {
    int each = stage.pace().streams().perServer();
    int all = each * servers.size();
    var queue = Watch.openLine(servers.getFirst());
    var target = servers.stream().map(Naru::target).reduce((a, b) -> a.and(b)).orElseThrow();
    var tokens = stage.enter(target, queue, Watch.lineFor(all, stage));
    var audiences = new ArrayList<AudienceProcess>();
    try {
      for (int i = 0; i < servers.size(); i++) {
        // Whoever entered at one server may watch at another.
        var address = servers.get(i).target().addresses().getFirst();
        var theirs = List.copyOf(tokens.subList(i * each, (i + 1) * each));
        audiences.add(AudienceProcess.start(queue.subscription(address), theirs));
      }
      var watched = Watch.measure(stage, servers, queue, audiences, all);
      var row =
          new WatchRows(
              watched,
              "%,d viewers, 3 servers".formatted(watched.viewers()),
              Viewers.OWED * servers.size());
      List.of(
              row.first(),
              row.moved(),
              row.movedFar(),
              row.entered(),
              row.cpuMoving().note("all three together"),
              row.cpuStill().note("all three together"),
              row.redisMoving(),
              row.redisStill())
          .forEach(rows);
    } finally {
      audiences.forEach(AudienceProcess::close);
    }
  }
}
