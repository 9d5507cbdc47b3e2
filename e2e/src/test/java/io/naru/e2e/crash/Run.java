package io.naru.e2e.crash;

import static org.awaitility.Awaitility.await;

import io.naru.e2e.crash.Evidence.Absent;
import io.naru.e2e.crash.Evidence.LedgerClock;
import io.naru.e2e.crash.Evidence.Limits;
import io.naru.e2e.crash.Evidence.Line;
import io.naru.fair.LiveLog;
import io.naru.fair.Report;
import io.naru.fair.Verifier;
import java.io.IOException;
import java.net.URI;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.awaitility.core.ConditionTimeoutException;

/** One queue, a crowd in front of it, and the evidence that is gathered in the end. */
final class Run implements AutoCloseable {

  private static final int CONNECTIONS = 8;

  /** In the place of a score or a time that a server does not show. */
  private static final long NOT_AS_SHOWN = -1;

  static final Duration QUIET = Duration.ofSeconds(10);
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private final Stage stage;
  private final QueueName queue;
  private final long seed;
  private final Duration quiet;
  private final Limits limits;
  private final Operator operator;
  private final History history = new History();
  private final Crowd crowd;
  private LedgerClock ledgerClock = LedgerClock.TRUE;

  /** The faults that must leave lanes as they are; the others have one line. */
  private static final Pattern WITH_LANES = Pattern.compile("F(1|2|5|9|10)(-.*)?");

  /** Those that must leave stock and returns as they are, and servers that do not. */
  private static final Pattern WITH_STOCK =
      Pattern.compile("F(1|2|5|9|10)(-.*)?|deaf-to-stock|keep-returned");

  /** The faults that must make nobody absent; in the others it does not matter who is there. */
  private static final Pattern WITH_PRESENCE = Pattern.compile("F(1|2|5|9)(-.*)?");

  /**
   * @param seed decides what the visitors do
   * @param quiet how long to wait until everything is right again
   */
  Run(Stage stage, String id, long seed, Duration quiet) {
    this(
        stage,
        new QueueName(
            "CRASH",
            id,
            WITH_LANES.matcher(id).matches(),
            WITH_PRESENCE.matcher(id).matches(),
            false,
            WITH_STOCK.matcher(id).matches(),
            pacing(id)),
        seed,
        quiet,
        Crowd.Manner.EAGER);
  }

  Run(Stage stage, QueueName queue, long seed, Duration quiet, Crowd.Manner manner) {
    this.stage = stage;
    this.queue = queue;
    this.seed = seed;
    this.quiet = quiet;
    this.limits = new Limits(60, 15, 1, queue.pacing());
    this.operator = new Operator(stage.nodes(), queue);
    operator.activate(limits.maxCapacity(), limits.batch(), limits.intervalSeconds());
    crowd = new Crowd(stage.nodes(), queue, history, seed, manner);
  }

  /** Where servers are killed, the two buckets are tried; elsewhere the default. */
  private static Pacing pacing(String id) {
    return switch (id) {
      case "F1" -> Pacing.LEAKY_BUCKET;
      case "F2" -> Pacing.TOKEN_BUCKET;
      default -> Pacing.STEPS;
    };
  }

  /** Changes what the rate depends on, for a while, without ever allowing more than before. */
  void editPacing() {
    operator.edit("\"entryBatchSize\":5");
    operator.pause();
    awaitPlaces(20);
    operator.resume();
    operator.edit("\"entryBatchSize\":%d".formatted(limits.batch()));
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
        .pollInterval(Duration.ofMillis(50))
        .until(() -> history.count(which) >= before + more);
  }

  Operator operator() {
    return operator;
  }

  /** Now the ledger's clock was set, by so much. */
  void ledgerClockSet(Duration by) {
    ledgerClock = new LedgerClock(history.now(), by.toNanos() / 1_000);
  }

  /** Whether anybody went in since then, by the clock as it was set. */
  boolean hasTimesOfTheSetClock() throws SQLException {
    return ledger().stream().anyMatch(row -> ledgerClock.real(row.entered()) != row.entered());
  }

  /** Waits until so many more people have a place. */
  void awaitPlaces(int more) {
    awaitCalls(more, "places", call -> call.act() == Call.Act.ENTER && call.isOk());
  }

  /** Waits until so many more answers have said that somebody is inside. */
  void awaitEntered(int more) {
    awaitCalls(more, "people inside", call -> call.seen() != null && call.seen().isEntered());
  }

  /** Waits until somebody more has come back, where people do. */
  void awaitReturn() {
    if (queue.hasStock()) {
      awaitCalls(1, "a return", call -> call.act() == Call.Act.RETURN && call.isOk());
    }
  }

  /**
   * Waits until the copy has reached what the ledger has committed by now, though both go on.
   *
   * @return how long that took
   */
  Duration awaitFollowing(Duration atMost) throws SQLException {
    long from = System.nanoTime();
    long committed;
    try (var connection = stage.server().connect()) {
      committed = LedgerReader.change(connection, queue);
    }
    await("a copy at change " + committed)
        .atMost(atMost)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(50))
        .until(() -> change() >= committed);
    return Duration.ofNanos(System.nanoTime() - from);
  }

  /** At which change the copy is; none, and none that can be asked, is −1. */
  private long change() {
    try (var redis = stage.redis()) {
      String change = redis.call("HGET", queue.key("state"), "change");
      return change.isEmpty() ? -1 : Long.parseLong(change);
    } catch (IOException | RuntimeException e) {
      return -1;
    }
  }

  /** Lets that many further visitors do the same at the same time. */
  void inParallel(int visitors, Consumer<Door> act) throws InterruptedException {
    inParallel(stage.nodes(), history, visitors, act);
  }

  private void inParallel(List<Node> nodes, History record, int visitors, Consumer<Door> act)
      throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < visitors; i++) {
      var door = new Door(nodes, i, queue, record);
      threads.add(
          Thread.ofVirtual()
              .start(
                  () -> {
                    try (door) {
                      act.accept(door);
                    }
                  }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }

  /** Nobody asks for anything any more. */
  void stop() throws InterruptedException {
    crowd.stop();
  }

  /** Ends the run and says which rules were broken; all faults must have been healed. */
  List<String> breaches() throws Exception {
    crowd.stop();
    operator.deactivate();
    long paused = history.now();
    Calm calm = awaitCalm();
    List<Absent> absent = absent();
    Map<String, Map<String, Call>> shown = shown(calm.rows);
    drain(calm.rows);
    var evidence =
        new Evidence(
            limits,
            history.calls(),
            history.excuses(),
            paused,
            calm.rows,
            calm.line,
            shown,
            ledger(),
            queue.hasPresence(),
            absent,
            ledgerClock);
    // For whoever wants to know how much a green run has seen.
    System.out.printf(
        "%s, seed %d: %s, %d passed over%n", queue.id(), seed, summary(), absent.size());
    List<String> breaches = new ArrayList<>(Checker.check(evidence));
    if (queue.hasLog()) {
      breaches.addAll(foundInTheLog());
    }
    if (breaches.isEmpty()) {
      operator.delete();
    } else {
      breaches.addFirst("seed %d, %s".formatted(seed, summary()));
    }
    return breaches;
  }

  /** What anybody finds who checks what is published of this queue. */
  private List<String> foundInTheLog() throws IOException {
    var address = URI.create("http://127.0.0.1:%d%s".formatted(stage.one().port(), queue.path()));
    Report report = new Verifier().verify(LiveLog.open(address), List.of());
    List<String> found = new ArrayList<>();
    report.findings().stream().limit(3).forEach(it -> found.add("the log: " + it));
    if (report.admitted() == 0) {
      found.add("the log: nobody was admitted");
    }
    return found;
  }

  /** The ledger and its copy, once nothing moves any more. */
  private record Calm(Limits limits, List<Row> rows, Line line) {

    boolean isExact() {
      List<String> differences = new ArrayList<>();
      var evidence = new Evidence(limits, List.of(), List.of(), 0, rows, line, Map.of(), List.of());
      new CopyRule().check(evidence, new Told(List.of()), differences::add);
      return differences.isEmpty();
    }
  }

  /** Both as soon as they are equal; after some patience, such as they are. */
  private Calm awaitCalm() throws Exception {
    try {
      return await("the copy")
          .atMost(quiet)
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(50))
          .until(this::calm, Calm::isExact);
    } catch (ConditionTimeoutException e) {
      // The checker says what is wrong with it.
      return calm();
    }
  }

  private Calm calm() throws SQLException, IOException, InterruptedException {
    List<Row> rows = ledger();
    return new Calm(limits, rows, stage.hasRedis() ? line() : shownLine(rows));
  }

  /** The copies that servers keep in their memory, by what all of them say of everybody. */
  private Line shownLine(List<Row> rows) throws InterruptedException {
    Map<String, Map<String, Call>> shown = shown(rows);
    Map<String, Long> places = PlaceRule.places(rows);
    Map<String, Long> waiting = new HashMap<>();
    Map<String, Long> entered = new HashMap<>();
    for (Row row : rows) {
      if (row.isWaiting()) {
        long place = places.getOrDefault(row.user(), 0L);
        boolean isShown = isShown(shown, row, seen -> seen.position() == place);
        waiting.put(row.user(), isShown ? row.score() : NOT_AS_SHOWN);
      } else if (row.isInside()) {
        boolean isShown = isShown(shown, row, Seen::isEntered);
        entered.put(row.user(), isShown ? row.expires() : NOT_AS_SHOWN);
      }
    }
    return new Line(waiting, entered);
  }

  private static boolean isShown(
      Map<String, Map<String, Call>> shown, Row row, Predicate<Seen> as) {
    return shown.values().stream()
        .map(answers -> answers.get(row.user()))
        .allMatch(
            call ->
                call != null
                    && call.seen() != null
                    && call.seen().joined() == row.joined()
                    && as.test(call.seen()));
  }

  private Line line() throws IOException {
    try (var redis = stage.redis()) {
      return LineReader.read(redis, queue);
    }
  }

  private List<Row> ledger() throws SQLException {
    try (var connection = stage.server().connect()) {
      return LedgerReader.read(connection, queue);
    }
  }

  private List<Absent> absent() throws SQLException {
    try (var connection = stage.server().connect()) {
      return LedgerReader.absent(connection, queue);
    }
  }

  /** What every server says of everybody, also of those of whom nothing was heard. */
  private Map<String, Map<String, Call>> shown(List<Row> rows) throws InterruptedException {
    var users = new TreeSet<String>();
    rows.forEach(row -> users.add(row.user()));
    history.calls().stream()
        .filter(call -> call.act() == Call.Act.ENTER)
        .forEach(call -> users.add(call.user()));
    Map<String, Map<String, Call>> shown = new HashMap<>();
    for (Node node : stage.nodes()) {
      shown.put(node.name(), shownBy(node, List.copyOf(users)));
    }
    return shown;
  }

  private Map<String, Call> shownBy(Node node, List<String> users) throws InterruptedException {
    Map<String, Call> answers = new ConcurrentHashMap<>();
    var next = new AtomicInteger();
    inParallel(
        List.of(node),
        new History(),
        CONNECTIONS,
        door -> {
          for (int i = next.getAndIncrement(); i < users.size(); i = next.getAndIncrement()) {
            answers.put(users.get(i), answer(door, users.get(i)));
          }
        });
    return answers;
  }

  /**
   * One that does not know for the moment is asked again, as visitors do, for as long as it may.
   */
  private Call answer(Door door, String user) {
    long end = System.nanoTime() + quiet.toNanos();
    Call answer = door.status(user);
    while (answer.outcome() == Call.Outcome.UNKNOWN && System.nanoTime() - end < 0) {
      pause();
      answer = door.status(user);
    }
    return answer;
  }

  private static void pause() {
    try {
      Thread.sleep(Duration.ofMillis(200));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Opens the capacity and lets everybody in, in several steps so that their order shows. */
  private void drain(List<Row> rows) {
    int steps = 8;
    int waiting = (int) rows.stream().filter(Row::isWaiting).count();
    try {
      // Nobody asks any more, and all the same everybody is to go in.
      new Operator(stage.nodes(), queue.forAnybody()).activate(1_000_000, 1, 3_600);
      for (int i = 0; i < steps; i++) {
        operator.process(waiting / steps + 1);
      }
      await("everybody inside")
          .atMost(quiet)
          .pollDelay(Duration.ZERO)
          .until(() -> ledger().stream().noneMatch(Row::isWaiting));
    } catch (ConditionTimeoutException e) {
      // The checker says who is left over.
      return;
    }
  }

  private long acknowledged(Call.Act act) {
    return history.count(call -> call.act() == act && call.isOk());
  }

  /** How much there was to judge. */
  String summary() {
    return "%d calls in %d ms, %d enters acknowledged, %d returns, %d pushes, %d unknown, slowest %d ms"
        .formatted(
            history.count(_ -> true),
            history.millis(),
            acknowledged(Call.Act.ENTER),
            acknowledged(Call.Act.RETURN),
            acknowledged(Call.Act.STOCK),
            history.count(call -> call.outcome() == Call.Outcome.UNKNOWN),
            history.slowestMillis());
  }

  @Override
  public void close() {
    crowd.close();
  }
}
