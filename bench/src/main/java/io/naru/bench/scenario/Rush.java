package io.naru.bench.scenario;

import io.naru.bench.load.Sample;
import io.naru.bench.report.Row;
import io.naru.bench.report.Unit;
import io.naru.bench.servers.Naru;
import io.naru.bench.servers.Queue;
import io.naru.bench.viewers.Audience;
import io.naru.bench.viewers.Seen;
import io.naru.load.plan.Plan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;

/** Many people who come at once, watch their place, use the site for a while, and leave. */
final class Rush {

  private static final int OWED_ARRIVALS = 10_000;
  private static final double OWED_ANSWER_MILLIS = 800;
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration STEP = Duration.ofMillis(50);
  private static final int ARRIVING = 1_000;
  private static final int LEAVING = 64;

  private final Stage stage;
  private final Naru naru;
  private final Queue queue;
  private final Audience audience;
  private final Visits visits;
  private final Plan plan;
  private final List<String> tokens = Collections.synchronizedList(new ArrayList<>());
  private final Histogram completing = Seen.histogram();
  private long notCompleted;

  Rush(Stage stage, Naru naru, Queue queue, Audience audience, Visits visits, Plan plan) {
    this.stage = stage;
    this.naru = naru;
    this.queue = queue;
    this.audience = audience;
    this.visits = visits;
    this.plan = plan;
  }

  void run(Consumer<Row> rows) {
    var start = System.nanoTime();
    var arrival = arrive();
    int done = leave(start);
    rows(start, arrival, done).forEach(rows);
  }

  /** Everybody enters, and watches as soon as they have their token. */
  private Sample arrive() {
    var people = stage.pace().streams().arrivals();
    var target = naru.target().handingOn(this::watch);
    var traffic = queue.enter().limitedTo(people);
    var sample = stage.load().drain(target, traffic, Math.min(ARRIVING, people), 1);
    stage
        .progress()
        .say(
            "%,d in line after %,d ms, p99 %.0f ms"
                .formatted(sample.answers(), sample.nanos() / 1_000_000, sample.millisAt(99)));
    return sample;
  }

  private void watch(String token) {
    // Together, so that the n-th token is the n-th viewer's.
    synchronized (tokens) {
      tokens.add(token);
      audience.open(token);
    }
  }

  /** Whoever was told to be inside completes after their stay; returns how many did. */
  private int leave(long start) {
    int people = tokens.size();
    var completed = new boolean[people];
    int done = 0;
    var stay = stage.pace().streams().stay();
    while (done < people && System.nanoTime() - start < patience().toNanos()) {
      var due = new ArrayList<String>();
      var inside = new ArrayList<String>();
      var entered = audience.whenEntered();
      var passes = audience.passes();
      var now = System.nanoTime();
      for (int i = 0; i < entered.length; i++) {
        if (!completed[i] && entered[i] != 0 && now - entered[i] >= stay.toNanos()) {
          completed[i] = true;
          due.add(passes.getOrDefault(i, ""));
        } else if (!completed[i] && passes.containsKey(i)) {
          inside.add(passes.get(i));
        }
      }
      visits.inside(inside);
      if (done == 0 && !due.isEmpty()) {
        // From here on as many come as go: there are as many inside as there may be.
        visits.start();
      }
      complete(due);
      done += due.size();
      Watch.pause(STEP);
    }
    return done;
  }

  private Duration patience() {
    var pace = stage.pace().streams();
    return PATIENCE.plus(pace.stay()).plus(pace.within());
  }

  private void complete(List<String> due) {
    if (due.isEmpty()) {
      return;
    }
    var sample =
        stage.load().drain(naru.target(), queue.complete(due), Math.min(LEAVING, due.size()), 1);
    completing.add(sample.latency());
    notCompleted += sample.failures();
    if (sample.failures() > 0) {
      stage.progress().say("not completed: " + sample.firstFailure());
    }
  }

  private List<Row> rows(long start, Sample arrival, int done) {
    var seen = audience.seen();
    var first = Seen.histogram();
    seen.addFirst(first);
    return List.of(
        answers("mission C: enter", arrival.latency(), arrival.failures()),
        answers("mission C: complete", completing, notCompleted),
        visited(),
        latency("mission C: first event", first, seen.failures())
            .note(seen.firstFailure().isEmpty() ? "while all arrive" : seen.firstFailure()),
        last(start, seen, arrival, done));
  }

  private Row visited() {
    var sample = visits.sample();
    return answers("mission C: protected site", sample.latency(), sample.failures())
        .note(
            "%,.0f/s offered, %,.0f/s answered, up to %,d inside"
                .formatted(visits.perSecond(), sample.perSecond(), visits.most()));
  }

  private Row last(long start, Seen seen, Sample arrival, int done) {
    var people = stage.pace().streams().arrivals();
    var last = Arrays.stream(seen.whenEntered()).max().orElse(0);
    var millis = last == 0 ? 0 : (last - start) / 1e6;
    var row =
        Row.of("mission C: last one told", millis, Unit.MILLIS)
            .note(
                "%,d of %,d let in, %,d each %d s and %,d at once, all in line after %,d ms"
                    .formatted(
                        done,
                        people,
                        plan.entryBatchSize(),
                        plan.entryIntervalSeconds(),
                        plan.maxCapacity(),
                        arrival.nanos() / 1_000_000));
    if (seen.backwards() > 0) {
      row = row.doubt("%,d places went BACKWARDS".formatted(seen.backwards()));
    }
    return owing(
        row,
        "at most %,.0f s".formatted(owedMillis() / 1e3),
        done == people && millis <= owedMillis());
  }

  private double owedMillis() {
    return stage.pace().streams().within().toMillis();
  }

  private Row answers(String what, Histogram micros, long failures) {
    var row = latency(what, micros, failures);
    return owing(row, "p99 under 0.8 s", row.p99Millis().orElseThrow() < OWED_ANSWER_MILLIS);
  }

  /** The row with a verdict, which fewer people than we promised for cannot give. */
  private Row owing(Row row, String floor, boolean reached) {
    var enough = stage.pace().streams().arrivals() >= OWED_ARRIVALS;
    return (enough ? row : row.doubt("owed for %,d".formatted(OWED_ARRIVALS))).owes(floor, reached);
  }

  private static Row latency(String what, Histogram micros, long failures) {
    var p99 = micros.getValueAtPercentile(99) / 1e3;
    var row =
        Row.of(what, p99, Unit.MILLIS)
            .latency(micros.getValueAtPercentile(50) / 1e3, p99)
            .note("max %,.0f ms".formatted(micros.getMaxValue() / 1e3));
    return failures == 0 ? row : row.doubt("%,d FAILED".formatted(failures));
  }
}
