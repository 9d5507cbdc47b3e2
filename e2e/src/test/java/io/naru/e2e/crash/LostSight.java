package io.naru.e2e.crash;

import static org.awaitility.Awaitility.await;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.core.ConditionTimeoutException;

/**
 * Eight who wait where it matters who is there, half of them at each server. All are seen for as
 * long as it takes until somebody could be taken for absent; then something breaks, and those of
 * the second server show themselves no more, as people whose page has not found another one yet.
 */
final class LostSight implements AutoCloseable {

  private static final int PEOPLE = 8;

  /** Longer than servers must have looked before they know who is not there. */
  private static final Duration SEEN = Duration.ofSeconds(13);

  /**
   * Longer than it takes to miss a server and to have looked again for long enough: from then on
   * nothing but goodwill keeps their turn.
   */
  private static final Duration LOST = Duration.ofSeconds(18);

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Duration BETWEEN = Duration.ofMillis(500);

  private final Stage stage;
  private final QueueName queue;
  private final Operator operator;
  private final History history = new History();

  LostSight(Stage stage, String id) {
    this.stage = stage;
    queue = new QueueName("LOST", id, false, true);
    operator = new Operator(stage.nodes(), queue);
    operator.activate(PEOPLE, PEOPLE, 1);
    operator.edit(
        "\"notBefore\":\""
            + Instant.now().plus(1, ChronoUnit.HOURS).truncatedTo(ChronoUnit.MICROS)
            + "\"");
    for (int i = 0; i < PEOPLE; i++) {
      try (var door = doorOf(i)) {
        door.enter("visitor-" + i);
      }
    }
  }

  private Door doorOf(int person) {
    return new Door(List.of(stage.nodes().get(person % 2)), 0, queue, history);
  }

  /** Breaks something while they wait. */
  interface Fault {
    void happen() throws Exception;
  }

  /** Who was not let in when the line began to move, although everybody is there. */
  List<String> takenForAbsent(Fault fault) throws Exception {
    ask(SEEN, 1);
    fault.happen();
    ask(LOST, 2);
    operator.edit("\"notBefore\":null");
    try {
      await().atMost(PATIENCE).until(() -> waiting().isEmpty());
    } catch (ConditionTimeoutException e) {
      // They are the answer.
    }
    return waiting();
  }

  /**
   * @param step 1: everybody asks; 2: those of the first server
   */
  private void ask(Duration span, int step) throws InterruptedException {
    List<Door> doors = new ArrayList<>();
    try {
      for (int i = 0; i < PEOPLE; i += step) {
        doors.add(doorOf(i));
      }
      long until = System.nanoTime() + span.toNanos();
      while (System.nanoTime() < until) {
        for (int i = 0; i < doors.size(); i++) {
          doors.get(i).status("visitor-" + i * step);
        }
        Thread.sleep(BETWEEN);
      }
    } finally {
      doors.forEach(Door::close);
    }
  }

  /** Read past the servers: whoever asks is there. */
  private List<String> waiting() throws SQLException {
    try (var connection = stage.server().connect()) {
      return LedgerReader.read(connection, queue).stream()
          .filter(Row::isWaiting)
          .map(Row::user)
          .toList();
    }
  }

  @Override
  public void close() {
    operator.delete();
  }
}
