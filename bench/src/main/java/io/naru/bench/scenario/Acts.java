package io.naru.bench.scenario;

import io.naru.bench.report.Row;
import io.naru.bench.report.Unit;
import io.naru.bench.servers.Naru;
import io.naru.bench.servers.OpenPages;
import io.naru.bench.servers.Queue;
import io.naru.bench.servers.Store;
import io.naru.bench.servers.Watchers;
import io.naru.testkit.PostgresServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * What an operator does at one of two servers, on pages that are open at the other: the time from
 * when the act was sent until the last page shows it, over streams and asking.
 */
final class Acts implements Scenario {

  private static final int PAGES = 50;

  /** Before them, so that none of them would ask for itself soon. */
  private static final int CROWD = 500;

  private static final double OWED_MILLIS = 3_000;
  private static final double OWED_MESSAGE_MILLIS = 5_000;
  private static final int WIDE = 100_000;

  /** By what was done, how long it took each page of all rounds. */
  private final Map<String, List<Double>> seen = new LinkedHashMap<>();

  @Override
  public String name() {
    return "acts";
  }

  @Override
  public void run(Stage stage, Consumer<Row> rows) {
    seen.clear();
    try (var postgres = PostgresServer.start();
        var store = Store.postgres(postgres);
        var one = stage.start(store);
        var other = stage.start(store)) {
      if (!Watchers.hasTickets(one, one.openQueue())) {
        stage.found("acts", "this server counts no tickets");
        return;
      }
      for (int round = 1; round <= stage.pace().rounds(); round++) {
        round(stage, one, other);
        stage.progress().say("round %d of %d".formatted(round, stage.pace().rounds()));
      }
    }
    seen.forEach((what, millis) -> rows.accept(row(what, millis)));
  }

  private void round(Stage stage, Naru one, Naru other) {
    Queue queue = one.openQueue();
    one.admin().activate(queue, WIDE, 1, 3_600);
    var _ = stage.enter(one.target(), queue, CROWD);
    var next = stage.enter(one.target(), queue, 2 * PAGES);
    var last = stage.enter(one.target(), queue, 2 * PAGES);
    try (var streams = OpenPages.streaming(other, queue, next.subList(0, PAGES));
        var askers = OpenPages.asking(other, queue, next.subList(PAGES, 2 * PAGES));
        var staying = OpenPages.streaming(other, queue, last.subList(0, PAGES));
        var stayingAskers = OpenPages.asking(other, queue, last.subList(PAGES, 2 * PAGES))) {
      var front = List.of(streams, askers);
      var rear = List.of(staying, stayingAskers);
      String message = "message " + ThreadLocalRandom.current().nextLong(1_000_000_000);
      see("message", front, has(message), () -> one.admin().say(queue, message));
      see("pause", front, has("\"state\":\"PAUSED\""), () -> one.admin().act(queue, "pause"));
      see("resume", front, has("\"state\":\"OPEN\""), () -> one.admin().act(queue, "resume"));
      see("close", front, has("\"state\":\"CLOSED\""), () -> one.admin().act(queue, "close"));
      see("open", front, has("\"state\":\"OPEN\""), () -> one.admin().act(queue, "open"));
      see(
          "admit now: the turn",
          front,
          has("\"status\":\"ENTERED\""),
          () -> admit(one, queue, CROWD + 2 * PAGES));
      see("end", rear, has("\"state\":\"ENDED\""), () -> one.admin().act(queue, "end"));
    }
    one.remove(queue);
  }

  private static Predicate<String> has(String text) {
    return shown -> shown.contains(text);
  }

  private static void admit(Naru naru, Queue queue, int people) {
    int admitted = naru.admin().process(queue, people);
    if (admitted != people) {
      throw new IllegalStateException("only %,d of %,d went in".formatted(admitted, people));
    }
  }

  /** Acts at a moment of no meaning for those who ask. */
  private void see(String what, List<OpenPages> pages, Predicate<String> shows, Runnable act) {
    pages.forEach(each -> each.await(shows));
    Watch.pause(Duration.ofMillis(ThreadLocalRandom.current().nextLong(1_500)));
    long since = System.nanoTime();
    act.run();
    add(what + ", streams", pages.getFirst().shown(since));
    add(what + ", asking", pages.getLast().shown(since));
  }

  private void add(String what, List<Double> millis) {
    seen.computeIfAbsent(what, _ -> new ArrayList<>()).addAll(millis);
  }

  private static Row row(String what, List<Double> millis) {
    var sorted = millis.stream().sorted().toList();
    double worst = sorted.getLast();
    double owed = what.startsWith("message") ? OWED_MESSAGE_MILLIS : OWED_MILLIS;
    return Row.of(what, worst, Unit.MILLIS)
        .latency(sorted.get(sorted.size() / 2), sorted.get(sorted.size() * 99 / 100))
        .note("the last of %,d pages".formatted(sorted.size()))
        .owes("at most %.0f s".formatted(owed / 1_000), worst <= owed);
  }
}
