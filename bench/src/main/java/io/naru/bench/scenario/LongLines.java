package io.naru.bench.scenario;

import io.naru.bench.load.Traffic;
import io.naru.bench.report.Row;
import io.naru.bench.servers.Naru;
import io.naru.bench.servers.Queue;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/** Enter and status when few wait and when millions do, all queues on one server. */
final class LongLines implements Scenario {

  private static final double OWED = 0.85;

  @Override
  public String name() {
    return "long-lines";
  }

  /** Two calls at one length of the line. */
  private record Length(int waiting, Contender enter, Contender status) {}

  @Override
  public void run(Stage stage, Consumer<Row> rows) {
    stage.onServer(naru -> measure(stage, naru)).forEach(rows);
  }

  private static List<Row> measure(Stage stage, Naru naru) {
    var lengths = new ArrayList<Length>();
    for (var waiting : stage.pace().lines()) {
      lengths.add(
          waiting.equals(stage.pace().lines().getFirst())
              ? shortest(stage, naru, waiting)
              : filled(stage, naru, waiting));
    }
    var contest = new Contest(stage);
    lengths.forEach(length -> contest.add(length.enter()));
    lengths.forEach(length -> contest.add(length.status()));
    contest.hold();
    return rows(lengths);
  }

  private static Length filled(Stage stage, Naru naru, int waiting) {
    var queue = naru.openQueue();
    stage.fill(naru, queue, waiting);
    return length(naru, waiting, () -> queue);
  }

  /** A short line does not stay short while people enter, so every round has a new one. */
  private static Length shortest(Stage stage, Naru naru, int waiting) {
    return length(
        naru,
        waiting,
        () -> {
          var queue = naru.openQueue();
          stage.fill(naru, queue, waiting);
          return queue;
        });
  }

  private static Length length(Naru naru, int waiting, Supplier<Queue> queue) {
    return new Length(
        waiting,
        contender("enter", naru, waiting, queue, Queue::enter),
        contender("status", naru, waiting, queue, Queue::status));
  }

  private static Contender contender(
      String call,
      Naru naru,
      int waiting,
      Supplier<Queue> queue,
      Function<Queue, Traffic> traffic) {
    var name = "%s, %,d waiting".formatted(call, waiting);
    return new Contender(name, naru.target(), () -> traffic.apply(queue.get()));
  }

  private static List<Row> rows(List<Length> lengths) {
    var rows = new ArrayList<Row>();
    var shortest = lengths.getFirst();
    lengths.forEach(length -> rows.add(beside(length.enter(), shortest.enter())));
    lengths.forEach(length -> rows.add(beside(length.status(), shortest.status())));
    return rows;
  }

  private static Row beside(Contender call, Contender shortest) {
    if (call == shortest) {
      return call.row();
    }
    var ratio = call.times(shortest);
    return call.row()
        .note("%.0f %% of the shortest line".formatted(ratio * 100))
        .owes("at least 85 %", ratio >= OWED);
  }
}
