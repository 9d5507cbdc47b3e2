package io.naru.e2e.crash;

import static org.awaitility.Awaitility.await;

import io.naru.testkit.HttpConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A sale in which three of ten close the tab once they are in line. The others ask where they
 * stand, stay inside for a while, and are done.
 */
final class AbsentSale implements AutoCloseable {

  private static final int CAPACITY = 20;

  /** Longer than servers must have looked before they know who is not there. */
  private static final Duration BEFORE = Duration.ofSeconds(15);

  private static final Duration STAY = Duration.ofSeconds(4);
  private static final Duration BETWEEN = Duration.ofMillis(700);

  /** From the moment on in which the places are taken. */
  private static final Duration WATCHED = Duration.ofSeconds(6);

  private final Stage stage;
  private final List<Node> nodes;
  private final QueueName queue = new QueueName("ABSENT", "sale", false, true);
  private final Operator operator;
  private final History history = new History();
  private final List<String> absent = new ArrayList<>();
  private final List<Thread> visitors = new ArrayList<>();
  private final AtomicBoolean isOver = new AtomicBoolean();

  AbsentSale(Stage stage, int people) {
    this.stage = stage;
    nodes = stage.nodes();
    operator = new Operator(nodes, queue);
    operator.activate(CAPACITY, CAPACITY, 1);
    operator.edit(
        "\"notBefore\":\"" + Instant.now().plus(BEFORE).truncatedTo(ChronoUnit.MICROS) + "\"");
    for (int i = 0; i < people; i++) {
      String user = "person-" + i;
      int number = i;
      try (var door = new Door(nodes, number, queue, history)) {
        door.enter(user);
      }
      if (i % 10 < 3) {
        absent.add(user);
      } else {
        visitors.add(Thread.ofVirtual().start(() -> visit(user, number)));
      }
    }
  }

  private void visit(String user, int number) {
    try (var door = new Door(nodes, number, queue, history)) {
      while (!isOver.get()) {
        Seen seen = door.status(user).seen();
        if (seen != null && seen.isEntered()) {
          Thread.sleep(STAY);
          door.complete(user, seen);
          return;
        }
        Thread.sleep(BETWEEN);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** How much of the places inside was in use, on the mean. */
  double usedPercent() throws InterruptedException {
    await("the first to go in").atMost(BEFORE.multipliedBy(2)).until(() -> inside() == CAPACITY);
    long until = System.nanoTime() + WATCHED.toNanos();
    long sum = 0;
    int looks = 0;
    while (System.nanoTime() < until) {
      sum += inside();
      looks++;
      Thread.sleep(50);
    }
    return 100.0 * sum / looks / CAPACITY;
  }

  private long inside() {
    try (var connection = new HttpConnection(nodes.getFirst().port())) {
      return connection.send("GET", queue.adminPath(), "", Stage.ADMIN).number("inside");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** How many went in who were not there. Not asked for here: whoever asks is there. */
  long absentInside() throws SQLException {
    try (var connection = stage.server().connect()) {
      return LedgerReader.read(connection, queue).stream()
          .filter(row -> !row.isWaiting() && absent.contains(row.user()))
          .count();
    }
  }

  /** Whether the first of them goes in now that somebody has asked for them. */
  boolean backAfterAll() {
    try (var door = new Door(nodes, 1, queue, history)) {
      return await("their turn")
          .until(
              () -> door.status(absent.getFirst()).seen(), seen -> seen != null && seen.isEntered())
          .isEntered();
    }
  }

  @Override
  public void close() {
    isOver.set(true);
    visitors.forEach(Thread::interrupt);
    operator.delete();
  }
}
