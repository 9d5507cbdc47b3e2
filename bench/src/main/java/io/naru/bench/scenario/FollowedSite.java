package io.naru.bench.scenario;

import io.naru.bench.report.Plot;
import io.naru.bench.report.Plot.Course;
import io.naru.bench.report.Row;
import io.naru.bench.report.Unit;
import io.naru.bench.servers.Naru;
import io.naru.bench.servers.Queue;
import io.naru.bench.servers.Store;
import io.naru.bench.servers.WorkerSite;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/**
 * A line that follows its site: how near to the best rate it comes by itself, and what those inside
 * feel of it. Everybody who goes in makes five requests during a stay of ten seconds, at a site
 * whose workers serve 400 a second; so 80 a second is the best that any rate can be.
 */
final class FollowedSite implements Scenario {

  private static final int REQUESTS = 5;
  private static final int STAY_SECONDS = 10;
  private static final Duration BETWEEN = Duration.ofSeconds(STAY_SECONDS).dividedBy(REQUESTS);
  private static final int SLOW_MILLIS = 500;
  private static final double BEST = WorkerSite.perSecond() / REQUESTS;
  private static final double OWED = 0.85;
  private static final Duration LOOK = Duration.ofMillis(100);

  /** The first minute is for finding it. */
  private static final int FINDING_SECONDS = 60;

  private static final int SECONDS = 180;
  private static final int PEOPLE = 30_000;

  @Override
  public String name() {
    return "adaptive";
  }

  @Override
  public void run(Stage stage, Consumer<Row> rows) {
    // A quick run only shows that it works.
    boolean isWhole = stage.pace().equals(Pace.FULL);
    int seconds = isWhole ? SECONDS : (int) Math.max(1, stage.pace().round().toSeconds());
    try (var store = Store.sqlite();
        var naru = stage.start(store);
        var visitors = Executors.newVirtualThreadPerTaskExecutor()) {
      var queue = naru.openQueue();
      stage.fill(naru, queue, isWhole ? PEOPLE : 1_000);
      naru.admin().follow(queue, STAY_SECONDS, SLOW_MILLIS);
      var evening = new Evening(stage, naru, queue, visitors);
      for (int second = 1; second <= seconds; second++) {
        evening.second(second);
        if (second == FINDING_SECONDS) {
          evening.found();
        }
      }
      evening.rows().forEach(rows);
    }
  }

  /** People go in, and the site tells once a second how it is. */
  private static final class Evening {
    private final Stage stage;
    private final Naru naru;
    private final Queue queue;
    private final ExecutorService visitors;
    private final WorkerSite site = new WorkerSite(Duration.ofMillis(SLOW_MILLIS));
    private final List<Double> admitted = new ArrayList<>();
    private final List<Double> inside = new ArrayList<>();
    private final List<Double> p95 = new ArrayList<>();
    private final long before;
    private long entered;
    private long enteredThen;
    private long servedThen;
    private long slowThen;
    private int from;
    private long fromNanos = System.nanoTime();

    Evening(Stage stage, Naru naru, Queue queue, ExecutorService visitors) {
      this.stage = stage;
      this.naru = naru;
      this.queue = queue;
      this.visitors = visitors;
      this.before = naru.admin().entered(queue);
      this.entered = before;
      this.enteredThen = before;
    }

    void second(int number) {
      long start = entered;
      for (int look = 0; look < Duration.ofSeconds(1).dividedBy(LOOK); look++) {
        Watch.pause(LOOK);
        long now = naru.admin().entered(queue);
        for (; entered < now; entered++) {
          visitors.execute(this::visit);
        }
      }
      var window = site.window();
      double millis = window.getValueAtPercentile(95) / 1e3;
      naru.admin().signal(queue, window.getTotalCount(), millis);
      admitted.add((double) (entered - start));
      inside.add((double) naru.admin().inside(queue));
      p95.add(millis);
      if (number % 10 == 0) {
        stage
            .progress()
            .say(
                "second %d: %d/s go in, %.0f are inside, 95 of 100 requests within %.0f ms"
                    .formatted(number, entered - start, inside.getLast(), millis));
      }
    }

    private void visit() {
      try {
        long next = System.nanoTime();
        for (int i = 0; i < REQUESTS; i++) {
          next = site.serve(next) + BETWEEN.toNanos();
          Thread.sleep(Duration.ofNanos(Math.max(0, next - System.nanoTime())));
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    /** What comes from here on counts. */
    void found() {
      from = admitted.size();
      fromNanos = System.nanoTime();
      enteredThen = entered;
      servedThen = site.served();
      slowThen = site.slow();
    }

    private Path plot() {
      return Plot.of(
          List.of(
              new Course("goes in per second", admitted),
              new Course("inside", inside),
              new Course("95 of 100 requests within ms", p95)));
    }

    List<Row> rows() {
      // On a busy machine a second of ours takes longer than one.
      double perSecond = (entered - enteredThen) / ((System.nanoTime() - fromNanos) / 1e9);
      double slow = 100.0 * (site.slow() - slowThen) / Math.max(1, site.served() - servedThen);
      stage.found("plot", plot().toString());
      var goingIn =
          Row.of("goes in by itself, best %.0f/s".formatted(BEST), perSecond, Unit.PER_SECOND);
      var slowly = Row.of("requests slower than %d ms".formatted(SLOW_MILLIS), slow, Unit.PERCENT);
      return from == 0
          ? List.of(goingIn.note("too short to say more"), slowly)
          : List.of(
              goingIn.owes("at least 85 % of the best", perSecond >= OWED * BEST),
              slowly.owes("at most 5 %", slow <= 5));
    }
  }
}
