package io.naru.bench.servers;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * Puts people into a line where PostgreSQL keeps it, as if they had entered one after the other
 * behind the first who really did: ten times as fast as by calls. No server may be running.
 */
public final class Arrivals {

  /** So many come with one change, as they do on a busy server. */
  private static final int TOGETHER = 500;

  /** So many are put there at a time. */
  private static final int PART = 100 * TOGETHER;

  private static final List<String> DIFFERING =
      List.of("user_id", "joined_at", "score", "ticket", "change_no");

  private static final String ENTER =
      """
      INSERT INTO queue_entries (user_id, joined_at, score, ticket, change_no, OTHERS)
      SELECT next.name, joined_at + next.n + ?, score + next.n + ?, ticket + next.n + ?,
        change_no + 1 + (next.n + ? - 1) / ?, OTHERS
      FROM queue_entries, unnest(?) WITH ORDINALITY AS next (name, n)
      WHERE queue_id = ? AND user_id = ?
      """;

  private static final String COUNT =
      """
      UPDATE waiting_queues SET waiting = waiting + ?, joined_total = joined_total + ?,
        last_joined = last_joined + ?, last_ticket = last_ticket + ?, change_no = change_no + ?
      WHERE id = ?
      """;

  private final Connection connection;
  private final Queue queue;
  private final LongConsumer progress;

  /**
   * @param progress told how many wait by now, from time to time
   */
  public Arrivals(Connection connection, Queue queue, LongConsumer progress) {
    this.connection = connection;
    this.queue = queue;
    this.progress = progress;
  }

  /** Until so many wait; the first of them must do so already, and nobody else. */
  public void until(long waiting) throws SQLException {
    connection.setAutoCommit(false);
    var first = FirstEntry.of(connection, queue, queue.users().name(0), "WAITING", DIFFERING);
    var users = queue.users();
    while (users.count() < waiting) {
      int people = (int) Math.min(PART, waiting - users.count());
      enter(first, people);
      count(first, people);
      connection.commit();
      users.add(people);
      progress.accept(users.count());
    }
  }

  private void enter(FirstEntry first, int people) throws SQLException {
    var users = queue.users();
    var names = new String[people];
    for (int i = 0; i < people; i++) {
      names[i] = users.name(users.count() + i);
    }
    long before = users.count() - 1;
    try (var insert = connection.prepareStatement(first.in(ENTER))) {
      insert.setLong(1, before);
      insert.setLong(2, before);
      insert.setLong(3, before);
      insert.setLong(4, before);
      insert.setLong(5, TOGETHER);
      insert.setArray(6, connection.createArrayOf("text", names));
      insert.setLong(7, first.queue());
      insert.setString(8, users.name(0));
      if (insert.executeUpdate() != people) {
        throw new IllegalStateException("not everybody has a place");
      }
    }
  }

  private void count(FirstEntry first, int people) throws SQLException {
    try (var update = connection.prepareStatement(COUNT)) {
      for (int i = 1; i <= 4; i++) {
        update.setLong(i, people);
      }
      // Those of a part that is not full have a change of their own, too.
      update.setLong(5, (people + TOGETHER - 1) / TOGETHER);
      update.setLong(6, first.queue());
      update.executeUpdate();
    }
  }
}
