package io.naru.e2e.crash;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.e2e.crash.Call.Act;
import io.naru.e2e.crash.Call.Outcome;
import io.naru.e2e.crash.Plan.Fault;
import io.naru.e2e.crash.Plan.Kind;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code ./naru soak}: things break at random and several at a time, for as long as one likes. No
 * test of a build: it is started by its name.
 *
 * <p>The servers, their Redis and their database are the same ones all the while, killed and frozen
 * as they may be. The queues are not: each round of about a minute has its own, breaks what is
 * planned for it, heals, and is held against the rules as a whole. What it was judged by is
 * forgotten then, so a soak takes no more memory after hours than after a minute.
 */
class Soak {

  /** Within which everything must be as it should, once nothing is broken any more. */
  private static final Duration BOUND = Duration.ofSeconds(10);

  private static final Duration PROGRESS = Duration.ofSeconds(10);
  private static final int BEFORE = 40;

  /** How often a round has a draw, which takes longer to judge than the rest. */
  private static final int DRAW_EVERY = 3;

  private static final int IN_THE_LOBBY = 200;

  /** For whoever wants to see one of them again. */
  private static final int FIRST = Integer.getInteger("soak.round", 1);

  private static final Map<String, Database> LEDGERS =
      Map.of("postgres", Database.POSTGRES, "mariadb", Database.MARIADB);

  private final long seed = Long.getLong("soak.seed", 1);
  private final Duration asked = Duration.ofSeconds(Math.round(60 * minutes()));
  private final String ledger = System.getProperty("soak.ledger", "postgres");
  private final Path file =
      Path.of(System.getProperty("soak.report", "target/soak-%s-%d.md".formatted(ledger, seed)));
  private final long began = System.nanoTime();
  private final List<Result> results = new ArrayList<>();
  private volatile @Nullable Round current;

  /** What came of one round. */
  record Result(
      int number,
      int queues,
      boolean hasDraw,
      Counts counts,
      Collection<Fault> faults,
      Duration recovery,
      List<String> breaches) {}

  /** How much there was to judge. */
  record Counts(
      long calls,
      long enters,
      long ends,
      long statuses,
      long returns,
      long pushes,
      long unknown,
      long slowest) {

    static Counts of(List<History> histories) {
      return new Counts(
          count(histories, _ -> true),
          count(histories, call -> call.act() == Act.ENTER && call.isOk()),
          count(histories, call -> call.mayEnd() && call.isOk()),
          count(histories, call -> call.act() == Act.STATUS && call.isOk()),
          count(histories, call -> call.act() == Act.RETURN && call.isOk()),
          count(histories, call -> call.act() == Act.STOCK && call.isOk()),
          count(histories, call -> call.outcome() == Outcome.UNKNOWN),
          histories.stream().mapToLong(History::slowestMillis).max().orElse(0));
    }

    private static long count(List<History> histories, Predicate<Call> which) {
      return histories.stream().mapToLong(history -> history.count(which)).sum();
    }
  }

  private static double minutes() {
    return Double.parseDouble(System.getProperty("soak.minutes", "1"));
  }

  @Test
  void soak(@TempDir Path data) throws Exception {
    assertThat(LEDGERS).as("-Dsoak.ledger").containsKey(ledger);
    Database kind = Objects.requireNonNull(LEDGERS.get(ledger));
    say(
        "seed %d, %s, at least %s; report: %s"
            .formatted(seed, ledger, text(asked), file.toAbsolutePath()));
    var progress = Thread.ofVirtual().start(this::tell);
    @Nullable String failure = null;
    Set<Kind> kinds = EnumSet.allOf(Kind.class);
    if (!kind.hasStandbys()) {
      kinds.remove(Kind.REPLACE_DATABASE);
    }
    try (var redis = new Current<>(RedisServer.start(RedisBinary.embedded()));
        var stage = Stage.linked(kind, data, redis)) {
      do {
        failure = round(stage, redis, kinds);
      } while (failure == null && sinceBegin().compareTo(asked) < 0);
      if (failure != null) {
        keepLogs(stage);
      }
    } finally {
      progress.interrupt();
    }
    var report = new SoakReport(seed, ledger, asked, sinceBegin(), results, failure);
    Files.createDirectories(file.toAbsolutePath().getParent());
    Files.writeString(file, report.markdown());
    System.out.println();
    System.out.println(report.markdown());
    assertThat(failure).isNull();
  }

  /** One round; says what is wrong with it, or null. */
  private @Nullable String round(Stage stage, Current<RedisServer> redis, Set<Kind> kinds)
      throws Exception {
    int number = FIRST + results.size();
    List<Fault> plan = Plan.round(seed, number, kinds);
    try (var round = new Round(stage, redis, number, plan)) {
      current = round;
      Result result = round.run();
      results.add(result);
      say(
          "round %d: %,d calls, %,d enters, %d faults, exact again after %s: %s"
              .formatted(
                  number,
                  result.counts.calls,
                  result.counts.enters,
                  result.faults.size(),
                  text(result.recovery),
                  result.breaches.isEmpty() ? "no rule broken" : "BROKEN"));
      return result.breaches.isEmpty() ? null : String.join("\n", result.breaches);
    } catch (InvalidRun | RuntimeException e) {
      return "round %d: %s".formatted(number, trace(e));
    } finally {
      current = null;
    }
  }

  private static String trace(Throwable e) {
    var trace = new StringWriter();
    e.printStackTrace(new PrintWriter(trace));
    return trace.toString();
  }

  /** The queues of one round, and what happens to them. */
  private final class Round implements AutoCloseable {

    private final Stage stage;
    private final int number;
    private final List<Fault> plan;
    private final List<Run> runs = new ArrayList<>();
    private final List<History> histories = new ArrayList<>();
    private final @Nullable Opening opening;
    private final Breaker breaker;

    Round(Stage stage, Current<RedisServer> redis, int number, List<Fault> plan) throws Exception {
      this.stage = stage;
      this.number = number;
      this.plan = plan;
      // In one line with a public log; in two lanes, by who is there; by stock, with people who
      // come back. Each spends its rate in another way.
      add(new QueueName("SOAK", "logged-" + number, false, false, true));
      add(queue("lanes-" + number, true, false, Pacing.TOKEN_BUCKET));
      add(queue("stock-" + number, false, true, Pacing.LEAKY_BUCKET));
      opening =
          number % DRAW_EVERY == 0
              ? new Opening(
                  stage.nodes(),
                  () -> stage.server().connect(),
                  "drawn-" + number,
                  IN_THE_LOBBY,
                  true)
              : null;
      breaker = new Breaker(stage, redis, histories, runs.getFirst().queue().key("waiting"));
    }

    private static QueueName queue(
        String id, boolean hasPresence, boolean hasStock, Pacing pacing) {
      return new QueueName("SOAK", id, true, hasPresence, false, hasStock, pacing);
    }

    private void add(QueueName queue) {
      var run = new Run(stage, queue, seed * 31 + number, BOUND, Crowd.Manner.STEADY);
      runs.add(run);
      histories.add(run.history());
    }

    Result run() throws Exception {
      runs.forEach(run -> run.awaitPlaces(BEFORE));
      if (opening != null) {
        int after = new Random(seed + number).nextInt((int) Plan.ROUND_MILLIS / 2);
        opening.watch().open(Duration.ofMillis(after));
      }
      breaker.run(plan);
      List<String> breaches = new ArrayList<>();
      Duration recovery = recover(breaches);
      runs.forEach(Run::awaitReturn);
      Counts counts = Counts.of(histories);
      for (Run run : runs) {
        run.breaches().forEach(breach -> breaches.add(run.queue().id() + ": " + breach));
      }
      if (opening != null) {
        opening.breaches().forEach(breach -> breaches.add(opening.queue().id() + ": " + breach));
      }
      return new Result(
          number,
          runs.size() + (opening == null ? 0 : 1),
          opening != null,
          counts,
          breaker.happened(),
          recovery,
          breaches);
    }

    /** Until every server takes people into every queue, and the copies have all of them. */
    private Duration recover(List<String> breaches) throws Exception {
      long healed = System.nanoTime();
      List<Long> from = histories.stream().map(History::now).toList();
      for (int i = 0; i < runs.size(); i++) {
        Run run = runs.get(i);
        long since = from.get(i);
        try {
          for (Node node : stage.nodes()) {
            await("an enter at " + node.name())
                .atMost(BOUND)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(50))
                .until(() -> isTaken(run.history(), node, since));
          }
          run.awaitFollowing(BOUND);
        } catch (ConditionTimeoutException e) {
          breaches.add(
              "%s: not as it should be within %s: %s; what was heard since: %s"
                  .formatted(
                      run.queue().id(), text(BOUND), e.getMessage(), heard(run.history(), since)));
        }
      }
      return Duration.ofNanos(System.nanoTime() - healed);
    }

    /** How often each server gave which answer to what. */
    private static String heard(History history, long since) {
      return history.calls().stream()
          .filter(call -> call.asked() >= since)
          .collect(
              groupingBy(
                  call ->
                      "%s at %s: %d %s"
                          .formatted(call.act(), call.server(), call.code(), call.problem()),
                  TreeMap::new,
                  counting()))
          .toString();
    }

    private static boolean isTaken(History history, Node node, long from) {
      return history.count(
              call ->
                  call.act() == Act.ENTER
                      && call.isOk()
                      && call.asked() >= from
                      && call.server().equals(node.name()))
          > 0;
    }

    @Override
    public void close() {
      runs.forEach(Run::close);
      if (opening != null) {
        opening.close();
      }
    }
  }

  // --- what whoever waits for it sees

  private void tell() {
    try {
      while (true) {
        Thread.sleep(PROGRESS);
        Round round = current;
        if (round != null) {
          Counts counts = Counts.of(round.histories);
          say(
              "round %d: %,d calls, %,d enters so far; broken now: %s"
                  .formatted(
                      round.number, counts.calls, counts.enters, broken(round.breaker.underWay())));
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static String broken(Collection<Fault> faults) {
    return faults.isEmpty()
        ? "nothing"
        : String.join(", ", faults.stream().map(fault -> fault.kind().words).toList());
  }

  private void say(String words) {
    System.out.printf("[%s] %s%n", text(sinceBegin()), words);
  }

  private Duration sinceBegin() {
    return Duration.ofNanos(System.nanoTime() - began);
  }

  static String text(Duration span) {
    return span.toMinutes() == 0
        ? "%d.%d s".formatted(span.toSeconds(), span.toMillisPart() / 100)
        : "%d min %02d s".formatted(span.toMinutes(), span.toSecondsPart());
  }

  private void keepLogs(Stage stage) throws IOException {
    for (Node node : stage.nodes()) {
      Path log = file.resolveSibling(file.getFileName() + "." + node.name() + ".log");
      Files.createDirectories(log.toAbsolutePath().getParent());
      Files.writeString(log, node.process().log());
      say("what server %s said: %s".formatted(node.name(), log.toAbsolutePath()));
    }
  }
}
