package io.naru.e2e.crash;

import static org.awaitility.Awaitility.await;

import io.naru.queue.Drawing.Phase;
import io.naru.queue.Micros;
import io.naru.testkit.HttpConnection;
import io.naru.testkit.HttpConnection.Reply;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A lobby that opens while something breaks: some wait in it from before, others come all the time,
 * and some ask all the time where they stand. Nobody leaves, so all who were told of an entry must
 * come out in the end.
 */
final class Opening implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(40);
  private static final Duration LOOK = Duration.ofMillis(20);
  private static final Duration BETWEEN = Duration.ofMillis(100);
  private static final int CONNECTIONS = 24;
  private static final int WATCHERS = 4;
  private static final int WATCHED = 6;
  private static final long FAR = 3_600;
  private static final String LEAVER = "lobby-0";

  private static final String LISTS =
      """
      SELECT count(*) FROM draw_leaves l JOIN waiting_queues q ON q.id = l.queue_id
      WHERE q.event_type = ? AND q.event_id = ? AND l.seal_id NOT LIKE 'claim-%'
      """;

  /** Looks into the ledger, past the servers. */
  interface Ledger {
    Connection connect() throws SQLException;
  }

  private final List<Node> nodes;
  private final Ledger ledger;
  private final QueueName queue;
  private final Operator operator;
  private final String commitment;

  /** When those joined who were told so, and of them, those who were told before the opening. */
  private final Map<String, Long> told = new ConcurrentHashMap<>();

  private final Map<String, Long> toldBefore = new HashMap<>();

  /** What was published of the list by the servers at any time: the root, the seed, the coin. */
  private final Map<String, Collection<String>> published = new ConcurrentHashMap<>();

  private final Collection<String> breaches = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean isOver = new AtomicBoolean();
  private final AtomicInteger newcomers = new AtomicInteger();
  private final AtomicInteger shownPlaces = new AtomicInteger();
  private final List<Thread> threads = new ArrayList<>();
  private @Nullable Connection looking;

  /**
   * A lobby with so many in it.
   *
   * @param hasLanes whether they stand in two lanes
   */
  Opening(List<Node> nodes, Ledger ledger, String id, int people, boolean hasLanes)
      throws InterruptedException {
    this.nodes = nodes;
    this.ledger = ledger;
    queue = new QueueName("OPENING", id, hasLanes, false);
    operator = new Operator(nodes, queue);
    operator.make(
        "\"maxCapacity\":40,\"entryBatchSize\":5,\"entryIntervalSeconds\":1,"
            + "\"draw\":\"SEED\",\"lobbyOpensAt\":\"%s\",\"opensAt\":\"%s\""
                .formatted(in(-1), in(FAR)));
    commitment = text("commitment");
    fill(people);
  }

  private static Instant in(long seconds) {
    return Instant.now().plusSeconds(seconds).truncatedTo(ChronoUnit.MICROS);
  }

  private void fill(int people) throws InterruptedException {
    var next = new AtomicInteger();
    List<Thread> filling = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS; i++) {
      var visit = new Visit(i);
      filling.add(
          Thread.ofVirtual()
              .start(
                  () -> {
                    try (visit) {
                      for (int n = next.getAndIncrement(); n < people; n = next.getAndIncrement()) {
                        while (!visit.enter("lobby-" + n)) {
                          // Once more; it is the same place.
                        }
                      }
                    }
                  }));
    }
    for (Thread thread : filling) {
      thread.join();
    }
    toldBefore.putAll(told);
  }

  // --- what happens

  /** From now on newcomers come and others ask where they stand, until it is over. */
  Opening watch() {
    // Not the first, who may leave.
    List<String> people =
        toldBefore.keySet().stream().filter(user -> !user.equals(LEAVER)).sorted().toList();
    for (int i = 0; i < WATCHERS; i++) {
      var visit = new Visit(i);
      List<String> watched =
          people.subList(i * people.size() / WATCHERS, i * people.size() / WATCHERS + WATCHED);
      threads.add(
          Thread.ofVirtual()
              .start(
                  () -> {
                    try (visit) {
                      while (!isOver.get()) {
                        visit.enter("newcomer-" + newcomers.getAndIncrement());
                        watched.forEach(visit::look);
                        visit.lookAtDraw();
                        visit.next();
                        pause();
                      }
                    }
                  }));
    }
    return this;
  }

  /** Visitors who ask without a rest leave nothing of the machine to those whom they ask. */
  private static void pause() {
    try {
      Thread.sleep(BETWEEN);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Opens the line after so long; zero for at once. */
  void open(Duration after) {
    operator.edit("\"opensAt\":\"%s\"".formatted(in(0).plus(after).truncatedTo(ChronoUnit.MICROS)));
  }

  /** The first of those in the lobby leaves, at this server. */
  void leave(Node node) throws IOException {
    try (var connection = new HttpConnection(node.port())) {
      Reply reply = connection.send("POST", queue.path() + "/leave", "", "User-Id: " + LEAVER);
      InvalidRun.unless(reply.status() < 300, "nobody left: " + reply.body());
    }
    told.remove(LEAVER);
    toldBefore.remove(LEAVER);
  }

  Operator operator() {
    return operator;
  }

  QueueName queue() {
    return queue;
  }

  /** Waits until the draw is so far, as the ledger has it. */
  void awaitPhase(Phase phase) {
    awaitLedger(phase.name(), draw -> draw.contains("\"phase\":\"" + phase + "\""));
  }

  /** Waits until some of those who are drawn stand in line, and others do not. */
  void awaitHalfSettled() {
    awaitLedger(
        "half settled",
        draw -> draw.contains("\"phase\":\"DRAWN\"") && !draw.contains("\"settled\":0}"));
  }

  /** Waits until somebody has listed those in the lobby, and is about to say so. */
  void awaitListing() {
    await("a list")
        .atMost(PATIENCE)
        .pollDelay(Duration.ZERO)
        .pollInterval(LOOK)
        .until(() -> !query(LISTS).equals("0"));
  }

  private interface Told {
    boolean is(String draw);
  }

  private void awaitLedger(String what, Told told) {
    await(what)
        .atMost(PATIENCE)
        .pollDelay(Duration.ZERO)
        .pollInterval(LOOK)
        .ignoreExceptionsInstanceOf(SQLException.class)
        .until(() -> told.is(drawInLedger()));
  }

  /** How far the draw is, as the ledger has it. */
  String drawInLedger() throws SQLException {
    return query("SELECT draw FROM waiting_queues WHERE event_type = ? AND event_id = ?");
  }

  /** On one connection for as long as it lasts: to open one costs the database more than to ask. */
  private String query(String sql) throws SQLException {
    if (looking == null) {
      looking = ledger.connect();
    }
    try (var select = looking.prepareStatement(sql)) {
      select.setString(1, queue.type());
      select.setString(2, queue.id());
      try (var result = select.executeQuery()) {
        return result.next() ? "" + result.getString(1) : "";
      }
    } catch (SQLException e) {
      close(looking);
      looking = null;
      throw e;
    }
  }

  private static void close(@Nullable Connection connection) {
    try {
      if (connection != null) {
        connection.close();
      }
    } catch (SQLException e) {
      // It was to be given up anyway.
    }
  }

  List<Row> rows() throws SQLException {
    try (var connection = ledger.connect()) {
      return LedgerReader.read(connection, queue).stream()
          .filter(row -> !row.user().equals(LEAVER) || told.containsKey(LEAVER))
          .toList();
    }
  }

  private String text(String field) {
    return operator.get(queue.path() + "/draw").field(field);
  }

  // --- what must be true in the end

  /** Ends it and says what was wrong; all faults must have been healed. */
  List<String> breaches() throws Exception {
    awaitPhase(Phase.DONE);
    await("places")
        .atMost(PATIENCE)
        .pollInterval(LOOK)
        .until(() -> !isWatched() || shownPlaces.get() > 0);
    stop();
    var draw = new PublishedDraw(operator, queue);
    List<String> all = new ArrayList<>(breaches);
    all.addAll(draw.differences(commitment, published));
    new OrderCheck(draw, toldBefore, told, all::add).check(rows());
    askEverywhere(all);
    drain(draw, all);
    if (shownPlaces.get() == 0) {
      all.add("nobody was shown a place: nothing was tried");
    }
    System.out.printf(
        "%s: %d drawn, %d told in all, %d places shown%n",
        queue.id(), draw.lobby().count(), told.size(), shownPlaces.get());
    if (all.isEmpty()) {
      operator.delete();
    }
    return all.stream().limit(20).toList();
  }

  /** Everybody is asked for at every server, once the copies are up to date. */
  private void askEverywhere(List<String> all) throws SQLException {
    operator.pause();
    Map<String, Long> places = OrderCheck.places(rows());
    for (int i = 0; i < nodes.size(); i++) {
      try (var visit = new Visit(i)) {
        int asked = 0;
        for (Map.Entry<String, Long> person : places.entrySet()) {
          // A part of them says as much.
          if (asked++ % Math.max(1, places.size() / 100) == 0) {
            visit.awaitPlace(person.getKey(), person.getValue(), all);
          }
        }
      }
    }
    operator.resume();
  }

  /** Lets everybody in, in several steps. */
  private void drain(PublishedDraw draw, List<String> all) throws SQLException {
    operator.edit("\"maxCapacity\":1000000,\"entryBatchSize\":1,\"entryIntervalSeconds\":3600");
    int steps = 6;
    for (int i = 0; i < steps; i++) {
      operator.process(told.size() / steps + 1);
    }
    await("everybody inside")
        .atMost(PATIENCE)
        .pollDelay(Duration.ZERO)
        .until(
            () -> {
              operator.process(told.size());
              return rows().stream().noneMatch(Row::isWaiting);
            });
    new OrderCheck(draw, toldBefore, told, all::add).checkEntered(rows());
  }

  private boolean isWatched() {
    return !threads.isEmpty();
  }

  private void stop() {
    isOver.set(true);
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    stop();
    close(looking);
  }

  /** One visitor's way in, at one server after the other. */
  private final class Visit implements AutoCloseable {

    private final Map<String, long[]> seen = new HashMap<>();
    private int current;
    private @Nullable HttpConnection connection;

    Visit(int first) {
      current = first % nodes.size();
    }

    boolean enter(String user) {
      @Nullable Reply reply =
          send("POST", queue.path() + "/enter", "User-Id: " + user, queue.laneHeader(user));
      if (reply == null || !reply.body().contains("\"joinedAt\"")) {
        return false;
      }
      Long joined = Micros.of(Instant.parse(reply.field("joinedAt")));
      Long before = told.putIfAbsent(user, joined);
      if (before != null && !before.equals(joined)) {
        breaches.add("%s has two entries: %d and %d".formatted(user, before, joined));
      }
      return true;
    }

    /** Where somebody stands; what is shown never rises. */
    void look(String user) {
      @Nullable Reply reply = send("GET", queue.path() + "/status", "User-Id: " + user);
      if (reply == null || reply.status() >= 500) {
        return;
      }
      if (reply.status() != 200) {
        breaches.add("%s is lost: %d %s".formatted(user, reply.status(), reply.body()));
        return;
      }
      if (reply.json().get("position") instanceof Number position) {
        shownPlaces.incrementAndGet();
        long change = reply.number("change");
        long[] last = seen.get(user);
        if (last != null && change >= last[0] && position.longValue() > last[1]) {
          breaches.add(
              "the place of %s rose from %d (change %d) to %d (change %d)"
                  .formatted(user, last[1], last[0], position.longValue(), change));
        }
        if (last == null || change >= last[0]) {
          seen.put(user, new long[] {change, position.longValue()});
        }
      }
    }

    void lookAtDraw() {
      @Nullable Reply reply = send("GET", queue.path() + "/draw");
      if (reply == null || reply.status() != 200) {
        return;
      }
      Map<String, @Nullable Object> json = reply.json();
      for (String field : List.of("number", "commitment", "root", "seed", "count")) {
        if (json.get(field) != null) {
          published
              .computeIfAbsent(field, _ -> ConcurrentHashMap.newKeySet())
              .add("" + json.get(field));
        }
      }
    }

    /** Waits until a server shows the place that the ledger has. */
    void awaitPlace(String user, long place, List<String> all) {
      var shown = new ArrayList<String>();
      try {
        await(user + " at " + place)
            .atMost(Duration.ofSeconds(10))
            .pollDelay(Duration.ZERO)
            .until(
                () -> {
                  @Nullable Reply reply = send("GET", queue.path() + "/status", "User-Id: " + user);
                  shown.add(reply == null ? "nothing" : reply.body());
                  return reply != null && placeIn(reply) == place;
                });
      } catch (org.awaitility.core.ConditionTimeoutException e) {
        all.add(
            "%s stands at %d in the ledger, and %s says %s"
                .formatted(user, place, nodes.get(current).name(), shown.getLast()));
      }
    }

    private static long placeIn(Reply reply) {
      return reply.json().get("position") instanceof Number position ? position.longValue() : 0;
    }

    void next() {
      leave();
      current = (current + 1) % nodes.size();
    }

    private @Nullable Reply send(String method, String path, String... headers) {
      try {
        if (connection == null) {
          connection = new HttpConnection(nodes.get(current).port(), AnswerRule.PATIENCE);
        }
        return connection.send(method, path, "", headers);
      } catch (IOException e) {
        next();
        pause();
        return null;
      }
    }

    private void leave() {
      try {
        if (connection != null) {
          connection.close();
        }
      } catch (IOException e) {
        // It was to be given up anyway.
      } finally {
        connection = null;
      }
    }

    @Override
    public void close() {
      leave();
    }
  }
}
