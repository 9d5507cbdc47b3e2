package io.naru.e2e.crash;

import io.naru.testkit.DatabaseServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Reads what the ledger has of a queue, past the servers. */
final class LedgerReader {

  private static final String ENTRIES =
      """
      SELECT user_id, joined_at, score, status, entered_at, expires_at, ended_at
      FROM queue_entries e JOIN waiting_queues q ON q.id = e.queue_id
      WHERE q.event_type = ? AND q.event_id = ?
      ORDER BY score
      """;

  private static final Pattern GOOD = Pattern.compile("\"good\":([0-9]+)");

  private static final Duration LONG = Duration.ofMillis(200);

  private LedgerReader() {}

  /** Whether somebody has begun a transaction and does not go on with it. */
  static boolean isTransactionStuck(DatabaseServer server, String inTransaction)
      throws SQLException, InterruptedException {
    try (var connection = server.connect()) {
      // Nobody goes on with it only counts after a while, at the first look, too.
      Thread.sleep(LONG);
      List<String> before = texts(connection, inTransaction);
      Thread.sleep(LONG);
      before.retainAll(texts(connection, inTransaction));
      return !before.isEmpty();
    }
  }

  private static List<String> texts(Connection connection, String sql) throws SQLException {
    List<String> texts = new ArrayList<>();
    try (var statement = connection.createStatement();
        var result = statement.executeQuery(sql)) {
      while (result.next()) {
        texts.add(result.getString(1));
      }
    }
    return texts;
  }

  /** How many of a queue were passed over, or lost their place for that. */
  static long absent(Connection connection, QueueName queue) throws SQLException {
    String sql =
        """
        SELECT q.absent + (SELECT count(*) FROM queue_entries e
          WHERE e.queue_id = q.id AND e.end_reason = 'absent')
        FROM waiting_queues q WHERE q.event_type = ? AND q.event_id = ?
        """;
    try (var select = connection.prepareStatement(sql)) {
      select.setString(1, queue.type());
      select.setString(2, queue.id());
      try (var result = select.executeQuery()) {
        return result.next() ? result.getLong(1) : 0;
      }
    }
  }

  /** Lets what is left of the time pass in which an outage of ours costs nobody their place. */
  static void endGoodwill(Connection connection, QueueName queue, Duration atMost)
      throws SQLException {
    // Its servers write that text once a second: it is theirs again when we are done.
    connection.setAutoCommit(false);
    String which = " FROM waiting_queues WHERE event_type = '%s' AND event_id = '%s' FOR UPDATE";
    String presence =
        texts(connection, ("SELECT presence" + which).formatted(queue.type(), queue.id()))
            .getFirst();
    String earlier =
        GOOD.matcher(presence)
            .replaceFirst(
                good -> "\"good\":" + (Long.parseLong(good.group(1)) - atMost.toNanos() / 1_000));
    try (var update =
        connection.prepareStatement(
            "UPDATE waiting_queues SET presence = ? WHERE event_type = ? AND event_id = ?")) {
      update.setString(1, earlier);
      update.setString(2, queue.type());
      update.setString(3, queue.id());
      InvalidRun.unless(update.executeUpdate() == 1, "there is no such queue");
    }
    connection.commit();
  }

  /** The last change of a queue. */
  static long change(Connection connection, QueueName queue) throws SQLException {
    String sql = "SELECT change_no FROM waiting_queues WHERE event_type = ? AND event_id = ?";
    try (var select = connection.prepareStatement(sql)) {
      select.setString(1, queue.type());
      select.setString(2, queue.id());
      try (var result = select.executeQuery()) {
        return result.next() ? result.getLong(1) : 0;
      }
    }
  }

  static List<Row> read(Connection connection, QueueName queue) throws SQLException {
    List<Row> rows = new ArrayList<>();
    try (var select = connection.prepareStatement(ENTRIES)) {
      select.setString(1, queue.type());
      select.setString(2, queue.id());
      try (var result = select.executeQuery()) {
        while (result.next()) {
          rows.add(
              new Row(
                  result.getString(1),
                  result.getLong(2),
                  result.getLong(3),
                  result.getString(4),
                  result.getLong(5),
                  result.getLong(6),
                  result.getLong(7)));
        }
      }
    }
    return rows;
  }
}
