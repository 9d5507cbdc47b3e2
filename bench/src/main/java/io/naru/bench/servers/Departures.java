package io.naru.bench.servers;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * Puts people into a queue where PostgreSQL keeps it whose turn is over and whose pass is not, as
 * if they had left one after the other behind the first who really did. No server may be running.
 */
public final class Departures {

  /** So many leave with one change, as they do on a busy server. */
  private static final int TOGETHER = 500;

  /** So many are put there at a time. */
  private static final int PART = 200 * TOGETHER;

  /** The passes end within five minutes, and the first of them late enough to be measured. */
  private static final long FIRST_END_MICROS = 600_000_000;

  private static final long ENDS_MICROS = 300_000_000;

  private static final List<String> DIFFERING =
      List.of("user_id", "joined_at", "score", "ticket", "change_no", "expires_at");

  private static final String LEAVE =
      """
      INSERT INTO queue_entries (user_id, joined_at, score, ticket, change_no, expires_at, OTHERS)
      SELECT 'gone-' || n, joined_at + n, score + n, ticket + n, change_no + 1 + (n - 1) / ?,
        ended_at + ? + n * ? / ?, OTHERS
      FROM queue_entries, generate_series(?::bigint, ?::bigint) AS n
      WHERE queue_id = ? AND user_id = ?
      """;

  private static final String COUNT =
      """
      UPDATE waiting_queues SET joined_total = joined_total + ?, entered_total = entered_total + ?,
        left_total = left_total + ?, last_joined = last_joined + ?, last_ticket = last_ticket + ?,
        change_no = change_no + ?
      WHERE id = ?
      """;

  private final Connection connection;
  private final Queue queue;
  private final LongConsumer progress;

  /**
   * @param progress told how many have left by now, from time to time
   */
  public Departures(Connection connection, Queue queue, LongConsumer progress) {
    this.connection = connection;
    this.queue = queue;
    this.progress = progress;
  }

  /** So many more; the one who was first must have left, and nobody else be in the queue. */
  public void add(long people) throws SQLException {
    connection.setAutoCommit(false);
    var first = FirstEntry.of(connection, queue, Admin.FIRST, "LEFT", DIFFERING);
    for (long done = 0; done < people; done += PART) {
      long last = Math.min(people, done + PART);
      leave(first, done + 1, last, people);
      count(first, last - done);
      connection.commit();
      progress.accept(last);
    }
  }

  private void leave(FirstEntry first, long from, long to, long all) throws SQLException {
    try (var insert = connection.prepareStatement(first.in(LEAVE))) {
      insert.setLong(1, TOGETHER);
      insert.setLong(2, FIRST_END_MICROS);
      insert.setLong(3, ENDS_MICROS);
      insert.setLong(4, all);
      insert.setLong(5, from);
      insert.setLong(6, to);
      insert.setLong(7, first.queue());
      insert.setString(8, Admin.FIRST);
      if (insert.executeUpdate() != to - from + 1) {
        throw new IllegalStateException("not everybody has left");
      }
    }
  }

  private void count(FirstEntry first, long people) throws SQLException {
    try (var update = connection.prepareStatement(COUNT)) {
      for (int i = 1; i <= 5; i++) {
        update.setLong(i, people);
      }
      update.setLong(6, (people + TOGETHER - 1) / TOGETHER);
      update.setLong(7, first.queue());
      update.executeUpdate();
    }
  }
}
