package io.naru.e2e.crash;

import static org.awaitility.Awaitility.await;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.awaitility.core.ConditionTimeoutException;

/**
 * Eight who wait where it matters who is there, half of them at each server. All are seen for a
 * while; then something breaks, and those of the second server show themselves no more, as people
 * whose page has not found another one yet.
 */
final class LostSight implements AutoCloseable {

  private static final int PEOPLE = 8;

  /** Longer than servers must have looked before they know who is not there. */
  static final Duration LOOKED = Duration.ofSeconds(13);

  /**
   * Longer than it takes to miss a server and to have looked again for long enough: from then on
   * nothing but goodwill keeps their turn.
   */
  private static final Duration LOST = Duration.ofSeconds(18);

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Duration BETWEEN = Duration.ofMillis(500);

  private final Stage stage;
  private final Duration seen;
  private final QueueName queue;
  private final Operator operator;
  private final History history = new History();

  /**
   * @param seen how long everybody is seen before; at least until both servers have said so
   */
  LostSight(Stage stage, String id, Duration seen) {
    this.stage = stage;
    this.seen = seen;
    queue = new QueueName("LOST", id, false, true);
    operator = new Operator(stage.nodes(), queue);
    operator.activate(PEOPLE, PEOPLE, 1);
    operator.edit(
        "\"notBefore\":\""
            + Instant.now().plus(1, ChronoUnit.HOURS).truncatedTo(ChronoUnit.MICROS)
            + "\"");
    for (int i = 0; i < PEOPLE; i++) {
      try (var door = doorOf(i)) {
        door.enter("person-" + i);
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
    ask(1, after(seen), () -> lookers() == stage.nodes().size());
    fault.happen();
    ask(2, after(LOST), () -> true);
    operator.edit("\"notBefore\":null");
    try {
      await().atMost(PATIENCE).until(() -> waiting().isEmpty());
    } catch (ConditionTimeoutException e) {
      // They are the answer.
    }
    return waiting();
  }

  private static long after(Duration span) {
    return System.nanoTime() + span.toNanos();
  }

  /**
   * @param step 1: everybody asks; 2: those of the first server
   * @param until then they stop, if that is so by then
   */
  private void ask(int step, long until, Callable<Boolean> isEnough) throws Exception {
    List<Door> doors = new ArrayList<>();
    try {
      for (int i = 0; i < PEOPLE; i += step) {
        doors.add(doorOf(i));
      }
      while (System.nanoTime() - until < 0 || !isEnough.call()) {
        for (int i = 0; i < doors.size(); i++) {
          doors.get(i).status("person-" + i * step);
        }
        Thread.sleep(BETWEEN);
      }
    } finally {
      doors.forEach(Door::close);
    }
  }

  private int lookers() throws SQLException {
    try (var connection = stage.server().connect()) {
      return Looking.read(connection, queue).servers();
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
