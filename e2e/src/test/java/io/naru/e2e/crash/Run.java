package io.naru.e2e.crash;

import static org.awaitility.Awaitility.await;

import io.naru.e2e.crash.Evidence.Limits;
import io.naru.e2e.crash.Evidence.Line;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.awaitility.core.ConditionTimeoutException;

/** One queue, a crowd in front of it, and the evidence that is gathered in the end. */
final class Run implements AutoCloseable {

  private static final Limits LIMITS = new Limits(60, 15, 1);
  private static final Duration QUIET = Duration.ofSeconds(10);
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Stage stage;
  private final QueueName queue;
  private final long seed;
  private final Operator operator;
  private final History history = new History();
  private final Crowd crowd;

  Run(Stage stage, String id, long seed) {
    this.stage = stage;
    this.queue = new QueueName("CRASH", id);
    this.seed = seed;
    this.operator = new Operator(stage.nodes(), queue);
    operator.activate(LIMITS.maxCapacity(), LIMITS.batch(), LIMITS.intervalSeconds());
    crowd = new Crowd(stage.nodes(), queue, history, seed);
  }

  QueueName queue() {
    return queue;
  }

  History history() {
    return history;
  }

  /** Waits until so many more of these calls were made. */
  void awaitCalls(int more, String what, Predicate<Call> which) {
    long before = history.count(which);
    await(what)
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(20))
        .until(() -> history.count(which) >= before + more);
  }

  /** Waits until so many more people have a place. */
  void awaitPlaces(int more) {
    awaitCalls(more, "places", call -> call.act() == Call.Act.ENTER && call.isOk());
  }

  /** Ends the run and says which rules were broken; all faults must have been healed. */
  List<String> breaches() throws Exception {
    crowd.stop();
    operator.deactivate();
    Line line = awaitCopy();
    List<Row> quiet = ledger();
    Map<String, Map<String, Call>> shown = shown(quiet);
    drain(quiet);
    var evidence =
        new Evidence(LIMITS, history.calls(), history.excuses(), quiet, line, shown, ledger());
    List<String> breaches = new ArrayList<>(Checker.check(evidence));
    if (breaches.isEmpty()) {
      operator.delete();
    } else {
      breaches.addFirst("seed %d, %s".formatted(seed, summary()));
    }
    return breaches;
  }

  /** The copy as soon as it equals the ledger; after some patience, such as it is. */
  private Line awaitCopy() throws Exception {
    try {
      await("the copy")
          .atMost(QUIET)
          .pollInterval(Duration.ofMillis(50))
          .until(() -> isExact(line()));
    } catch (ConditionTimeoutException e) {
      // The checker says what is wrong with it.
      return line();
    }
    return line();
  }

  private boolean isExact(Line line) throws SQLException {
    List<String> differences = new ArrayList<>();
    var evidence = new Evidence(LIMITS, List.of(), List.of(), ledger(), line, Map.of(), List.of());
    new CopyRule().check(evidence, new Told(List.of()), differences::add);
    return differences.isEmpty();
  }

  private Line line() throws IOException {
    try (var redis = stage.redis()) {
      return LineReader.read(redis, queue);
    }
  }

  private List<Row> ledger() throws SQLException {
    try (var connection = stage.postgres().connect()) {
      return LedgerReader.read(connection, queue);
    }
  }

  /** What every server says of everybody, also of those of whom nothing was heard. */
  private Map<String, Map<String, Call>> shown(List<Row> quiet) {
    var users = new TreeSet<String>();
    quiet.forEach(row -> users.add(row.user()));
    history.calls().stream()
        .filter(call -> call.act() == Call.Act.ENTER)
        .forEach(call -> users.add(call.user()));
    Map<String, Map<String, Call>> shown = new HashMap<>();
    for (Node node : stage.nodes()) {
      Map<String, Call> answers = new HashMap<>();
      try (var door = new Door(List.of(node), 0, queue, new History())) {
        users.forEach(user -> answers.put(user, door.status(user)));
      }
      shown.put(node.name(), answers);
    }
    return shown;
  }

  /** Opens the capacity and lets everybody in, in several steps so that their order shows. */
  private void drain(List<Row> quiet) {
    int steps = 8;
    int waiting = (int) quiet.stream().filter(Row::isWaiting).count();
    operator.activate(1_000_000, 1, 3_600);
    for (int i = 0; i < steps; i++) {
      operator.process(waiting / steps + 1);
    }
    await("everybody inside")
        .atMost(QUIET)
        .until(() -> ledger().stream().noneMatch(Row::isWaiting));
  }

  /** How much there was to judge. */
  String summary() {
    return "%d calls, of these %d enters acknowledged, %d unknown"
        .formatted(
            history.count(_ -> true),
            history.count(call -> call.act() == Call.Act.ENTER && call.isOk()),
            history.count(call -> call.outcome() == Call.Outcome.UNKNOWN));
  }

  @Override
  public void close() {
    crowd.close();
  }
}
