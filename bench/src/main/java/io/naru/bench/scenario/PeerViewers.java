package io.naru.bench.scenario;

import io.naru.bench.report.Row;
import io.naru.bench.report.Unit;
import io.naru.bench.servers.Peer;
import io.naru.bench.viewers.Audience;
import io.naru.bench.viewers.Seen;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** A peer's streams: more and more of them, until it takes no more or there are as many as ours. */
final class PeerViewers {

  private static final List<Integer> STEPS = List.of(1_000, 5_000, 9_000);

  private PeerViewers() {}

  /** Its CPU per thousand viewers, with the most of them that it carried; empty if unknown. */
  static OptionalDouble measure(Stage stage, Peer peer, Consumer<Row> rows) {
    var most = stage.pace().streams().viewers().getLast();
    var each = OptionalDouble.empty();
    for (var viewers :
        Stream.concat(STEPS.stream().filter(step -> step < most), Stream.of(most)).toList()) {
      var found = new ArrayList<Row>();
      var cpu = measure(stage, peer, viewers, found);
      found.forEach(rows);
      if (!found.getFirst().certain()) {
        // It has failed, and the row says how; more viewers would only fail the more.
        break;
      }
      each = cpu;
    }
    return each;
  }

  private static OptionalDouble measure(Stage stage, Peer peer, int viewers, List<Row> rows) {
    var queue = peer.openQueue();
    var tokens = stage.enter(peer.target(), queue, Watch.lineFor(viewers, stage));
    var server = peer.target().addresses().getFirst();
    try (var audience = new Audience(queue.subscription(server))) {
      tokens.stream().limit(viewers).forEach(audience::open);
      audience.settle();
      var who = "peer, %,d viewers".formatted(viewers);
      stage.progress().say(who);
      var each = OptionalDouble.empty();
      var cpu = new ArrayList<Row>();
      if (peer.vitals().isPresent()) {
        var meter = Meter.of(peer.vitals().get());
        Watch.pause(stage.pace().streams().still());
        var percent = meter.stop().corePercent();
        each = OptionalDouble.of(percent * 1_000 / viewers);
        cpu.add(Row.of("CPU, " + who, percent, Unit.CORE_PERCENT));
      }
      rows.add(first(who, viewers, audience.seen()));
      rows.addAll(cpu);
      return each;
    }
  }

  private static Row first(String who, int viewers, Seen seen) {
    var first = Seen.histogram();
    seen.addFirst(first);
    var p99 = first.getValueAtPercentile(99) / 1e3;
    var row =
        Row.of("first event, " + who, p99, Unit.MILLIS)
            .latency(first.getValueAtPercentile(50) / 1e3, p99);
    return seen.watching() == viewers && seen.failures() == 0
        ? row
        : row.doubt(
            "FAILED: %,d of %,d watch; %s"
                .formatted(seen.watching(), viewers, seen.firstFailure()));
  }
}
