package io.naru.example.concert;

import io.naru.gate.Answer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The outbox: the turns that are over here, and whether Naru knows. */
@Repository
class Completions {

  private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
  private static final int MAX_DOUBLINGS = 6; // 32 s

  private static final String ORDER =
      "INSERT INTO completions (pass_id, token, created_at, due_at) VALUES (?, ?, ?, ?)";
  private static final String DUE =
      """
      SELECT pass_id, token, tries FROM completions
      WHERE outcome = 'PENDING' AND due_at <= ?
      ORDER BY due_at
      LIMIT ?
      """;
  private static final String SETTLE =
      "UPDATE completions SET outcome = ?, token = NULL, tries = tries + 1 WHERE pass_id = ?";
  private static final String POSTPONE =
      "UPDATE completions SET tries = tries + 1, due_at = ? WHERE pass_id = ?";

  private final JdbcClient database;
  private final InstantSource clock;

  /**
   * @param tries how often Naru was asked already
   */
  record Completion(String passId, String token, int tries) {

    // The token is a secret, and this may end up in a log.
    @Override
    public String toString() {
      return "completion of pass " + passId;
    }
  }

  Completions(JdbcClient database, InstantSource clock) {
    this.database = database;
    this.clock = clock;
  }

  /** Takes part in the caller's transaction. */
  void order(String passId, String token) {
    long now = clock.millis();
    database.sql(ORDER).params(passId, token, now, now).update();
  }

  List<Completion> due(int atMost) {
    return database.sql(DUE).params(clock.millis(), atMost).query(Completion.class).list();
  }

  /** Keeps what Naru said. The pass has served; nobody shall find it here. */
  void settle(Completion completion, Answer answer) {
    database.sql(SETTLE).params(answer.name(), completion.passId()).update();
  }

  /** Each time it is tried again after twice as long. */
  void postpone(Completion completion) {
    Duration pause = FIRST_PAUSE.multipliedBy(1L << Math.min(completion.tries(), MAX_DOUBLINGS));
    database.sql(POSTPONE).params(clock.millis() + pause.toMillis(), completion.passId()).update();
  }
}
