package io.naru.bench.servers;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * The entry of the first person in a queue, of which those of others are made where PostgreSQL
 * keeps them: whatever columns there are, theirs are the same, except those in which people differ.
 *
 * @param queue its number there
 * @param others the columns in which people do not differ
 */
record FirstEntry(long queue, String others) {

  private static final String FIND =
      """
      SELECT e.queue_id FROM queue_entries e JOIN waiting_queues q ON q.id = e.queue_id
      WHERE q.event_type = ? AND q.event_id = ? AND e.user_id = ? AND e.status = ?
      """;

  private static final String COLUMNS =
      """
      SELECT string_agg(column_name, ', ') FROM information_schema.columns
      WHERE table_name = 'queue_entries' AND is_generated = 'NEVER' AND column_name <> ALL (?)
      """;

  /**
   * @param status in which it must be by now
   * @param differing the columns in which people differ
   */
  static FirstEntry of(
      Connection connection, Queue queue, String user, String status, List<String> differing)
      throws SQLException {
    return new FirstEntry(find(connection, queue, user, status), others(connection, differing));
  }

  private static long find(Connection connection, Queue queue, String user, String status)
      throws SQLException {
    try (var select = connection.prepareStatement(FIND)) {
      select.setString(1, Queue.TYPE);
      select.setString(2, "" + queue.id());
      select.setString(3, user);
      select.setString(4, status);
      try (var result = select.executeQuery()) {
        if (!result.next()) {
          throw new IllegalStateException("nobody is " + status + " behind whom others could be");
        }
        return result.getLong(1);
      }
    }
  }

  private static String others(Connection connection, List<String> differing) throws SQLException {
    try (var select = connection.prepareStatement(COLUMNS)) {
      select.setArray(1, connection.createArrayOf("text", differing.toArray()));
      try (var result = select.executeQuery()) {
        result.next();
        return result.getString(1);
      }
    }
  }

  /** The statement with the columns put in where it says OTHERS. */
  String in(String statement) {
    return statement.replace("OTHERS", others);
  }
}
