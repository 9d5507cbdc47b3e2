package io.naru.e2e.crash;

import static org.awaitility.Awaitility.await;

import io.naru.testkit.EventStream;
import io.naru.testkit.HttpConnection;
import io.naru.testkit.HttpConnection.Reply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.awaitility.core.ConditionTimeoutException;

/**
 * Two companies of four who show themselves all the time, half of them by questions to the first
 * server, half by a stream of the second. Before each stands somebody who has closed the tab: as
 * long as that one does not go in, the others were judged, too, and found to be there.
 */
final class InSight implements AutoCloseable {

  /** How many go in at a time. */
  private static final int COMPANY = 4;

  /** Servers on a machine that is too busy begin to look anew. */
  private static final Duration UNTIL_JUDGED = Duration.ofSeconds(100);

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Duration BETWEEN = Duration.ofMillis(500);

  private final Stage stage;
  private final QueueName queue;
  private final Operator operator;
  private final History history = new History();
  private final List<Thread> shown = new ArrayList<>();
  private final AtomicBoolean isOver = new AtomicBoolean();

  InSight(Stage stage, String id) {
    this.stage = stage;
    queue = new QueueName("SIGHT", id, false, true);
    operator = new Operator(stage.nodes(), queue);
    operator.activate(COMPANY, COMPANY, 1);
    operator.edit(
        "\"notBefore\":\""
            + Instant.now().plus(1, ChronoUnit.HOURS).truncatedTo(ChronoUnit.MICROS)
            + "\"");
    for (String company : List.of("a", "b")) {
      enter("gone-" + company);
      for (int i = 0; i < COMPANY; i++) {
        String user = company + i;
        String token = enter(user);
        boolean asks = i % 2 == 0;
        shown.add(Thread.ofVirtual().start(() -> show(asks ? () -> ask(user) : () -> see(token))));
      }
    }
  }

  private String enter(String user) {
    try (var connection = new HttpConnection(stage.one().port())) {
      Reply reply = connection.send("POST", queue.path() + "/enter", "", "User-Id: " + user);
      return reply.field("entryToken");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Shows somebody for a moment, or for as long as that works. */
  private interface Show {
    void once() throws InterruptedException;
  }

  private void show(Show show) {
    try {
      while (!isOver.get()) {
        show.once();
        Thread.sleep(BETWEEN);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IllegalStateException e) {
      // Whoever was just opening a stream hears of the end there.
      if (!isOver.get()) {
        throw e;
      }
    }
  }

  private void ask(String user) {
    try (var door = new Door(List.of(stage.one()), 0, queue, history)) {
      door.status(user);
    }
  }

  private void see(String token) throws InterruptedException {
    String path = queue.path() + "/subscribe/" + token;
    try (var stream = EventStream.open(stage.two().port(), path)) {
      boolean hasEnded = false;
      while (!isOver.get() && !hasEnded) {
        hasEnded = stream.ends(BETWEEN);
      }
    }
  }

  /** Until servers take for absent whomever they do not see. */
  void awaitJudging() {
    await("servers that have looked for long enough")
        .atMost(UNTIL_JUDGED)
        .until(
            () -> {
              try (var connection = stage.server().connect()) {
                return Looking.read(connection, queue).isJudging();
              }
            });
  }

  /** Lets one more company in; who is inside then. */
  List<String> letIn(int companies) throws SQLException {
    int people = companies * COMPANY;
    operator.edit("\"notBefore\":null,\"maxCapacity\":%d".formatted(people));
    try {
      await().atMost(PATIENCE).until(() -> inside().size() == people);
    } catch (ConditionTimeoutException e) {
      // They are the answer.
    }
    List<String> inside = inside();
    InvalidRun.unless(
        inside.stream().noneMatch(user -> user.startsWith("gone")), "none was judged");
    return inside;
  }

  private List<String> inside() throws SQLException {
    return users(Row::isInside);
  }

  List<String> waiting() throws SQLException {
    return users(Row::isWaiting);
  }

  private List<String> users(Predicate<Row> which) throws SQLException {
    try (var connection = stage.server().connect()) {
      return LedgerReader.read(connection, queue).stream().filter(which).map(Row::user).toList();
    }
  }

  /** Waits until Redis has their line again. */
  void awaitCopy() {
    await("a new copy")
        .atMost(PATIENCE)
        .until(
            () -> {
              try (var redis = stage.redis()) {
                return redis.call("TYPE", queue.key("state")).equals("hash");
              }
            });
  }

  @Override
  public void close() {
    isOver.set(true);
    shown.forEach(Thread::interrupt);
    operator.delete();
  }
}
