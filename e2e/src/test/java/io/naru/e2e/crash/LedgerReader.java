package io.naru.e2e.crash;

import io.naru.e2e.crash.Evidence.Absent;
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

  private static final String ABSENT =
      """
      SELECT e.user_id, e.joined_at, COALESCE(a.since, 0), e.status
      FROM queue_entries e JOIN waiting_queues q ON q.id = e.queue_id
      LEFT JOIN queue_absent a ON a.queue_id = e.queue_id AND a.joined_at = e.joined_at
      WHERE q.event_type = ? AND q.event_id = ?
        AND (a.joined_at IS NOT NULL OR e.end_reason = 'absent')
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

  /** Who of a queue was passed over, and waits or has lost their place for that. */
  static List<Absent> absent(Connection connection, QueueName queue) throws SQLException {
    List<Absent> absent = new ArrayList<>();
    try (var select = connection.prepareStatement(ABSENT)) {
      select.setString(1, queue.type());
      select.setString(2, queue.id());
      try (var result = select.executeQuery()) {
        while (result.next()) {
          var name = new Name(result.getString(1), result.getLong(2));
          absent.add(new Absent(name, result.getLong(3), !result.getString(4).equals("WAITING")));
        }
      }
    }
    return absent;
  }

  /** Lets what is left of the time pass in which an outage of ours costs nobody their place. */
  static void endGoodwill(Connection connection, QueueName queue, Duration atMost)
      throws SQLException {
    // Its servers write that text once a second: it is theirs again when we are done.
    connection.setAutoCommit(false);
    String presence = presence(connection, queue, " FOR UPDATE");
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

  /** What its servers have written about who looks, as they write it. */
  static String presence(Connection connection, QueueName queue) throws SQLException {
    return presence(connection, queue, "");
  }

  private static String presence(Connection connection, QueueName queue, String lock)
      throws SQLException {
    String sql = "SELECT presence FROM waiting_queues WHERE event_type = '%s' AND event_id = '%s'";
    return texts(connection, sql.formatted(queue.type(), queue.id()) + lock).getFirst();
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
