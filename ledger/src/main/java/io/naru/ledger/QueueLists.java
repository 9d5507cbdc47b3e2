package io.naru.ledger;

import io.naru.ledger.Dialect.Among;
import io.naru.ledger.Dialect.Index;
import io.naru.line.Original;
import io.naru.queue.Figures;
import io.naru.queue.Overview;
import io.naru.queue.QueueId;
import io.naru.queue.Summary;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Queues, many at a time: any number of them is read page by page. */
final class QueueLists {

  static final Sql ALL_HEADS = heads(Among.ALL, "");

  static final Sql BUSY_HEADS = heads(Among.BUSY, "AND q.version > 0 ");

  static final Sql CHANGED_HEADS = heads(Among.CHANGED, "AND NOT q.is_busy AND q.version > 0 ");

  static final Sql LATELY_HEADS = heads(Among.CHANGED, "AND q.version > 0 ");

  /**
   * What may have something to do for an admission: room and allowance for those who wait, or an
   * end, as was decided with the queue's last change; somebody inside whose time is up; or a clock
   * that went back. Only busy queues are looked at, and no {@code EXISTS}, which a database could
   * turn into a look at everybody inside.
   */
  static final Sql DUE =
      dialect ->
          """
          SELECT event_type, event_id FROM %s
            AND (room_from <= ?
              OR NOT admission_paused AND waiting > 0 AND refilled_at > ?
              OR inside > 0
                AND (last_entered_at > ? OR (SELECT e.expires_at FROM %s %s
                  ORDER BY e.expires_at LIMIT 1) <= ?))
          """
                  .formatted(
                      dialect.queues(Among.BUSY),
                      dialect.entries(Index.INSIDE, "q.id"),
                      EntryRows.IS_INSIDE)
              + page(dialect);

  /**
   * For which a time has come that systems behind are told of. In no pages: who was decided is none
   * of them any more, so the others are found by the next look.
   */
  static final Sql TURNING =
      dialect ->
          "SELECT event_type, event_id FROM "
              + dialect.queues(Among.TURNING)
              + "ORDER BY q.told_until LIMIT ?";

  static final Sql DRAWN =
      dialect ->
          "SELECT id, event_type, event_id, "
              + QueueRows.COLUMNS
              + " FROM "
              + dialect.queues(Among.BUSY)
              + "AND q.draw IS NOT NULL "
              + page(dialect);

  /** Some queues, each with when the first in line joined; behind this, which ones. */
  private static final Sql OVERVIEWS =
      dialect ->
          "SELECT page.*, CASE WHEN page.waiting > 0 THEN (SELECT e.joined_at FROM "
              + dialect.entries(Index.WAITING, "page.id")
              + EntryRows.IS_WAITING
              + "AND e.score >= page.front_score ORDER BY e.score LIMIT 1) END AS first_joined"
              + " FROM (SELECT id, event_type, event_id, "
              + QueueRows.COLUMNS
              + " FROM "
              + dialect.queues(Among.ALL);

  static final Sql LIST =
      dialect -> OVERVIEWS.in(dialect) + page(dialect) + ") page ORDER BY event_type, event_id";

  private static final String BUSIEST_FIRST =
      " ORDER BY waiting + inside DESC, event_type, event_id";

  private static final Sql BUSIEST =
      dialect -> OVERVIEWS.in(dialect) + BUSIEST_FIRST + " LIMIT ?) page" + BUSIEST_FIRST;

  private static final Sql SUM =
      Sql.of(
          """
          SELECT count(*), sum(change_no), sum(waiting), sum(inside), sum(absent), sum(joined_total),
            sum(entered_total), sum(completed_total), sum(left_total), sum(expired_total)
          FROM waiting_queues WHERE version > 0
          """);

  private final Rows rows;

  QueueLists(Rows rows) {
    this.rows = rows;
  }

  private static Sql heads(Among among, String conditions) {
    return dialect ->
        "SELECT id, event_type, event_id, change_no, waiting, inside FROM "
            + dialect.queues(among)
            + conditions
            + page(dialect);
  }

  /** Behind a queue's name, and how many; so that any number of queues is read in pages. */
  private static String page(Dialect dialect) {
    return "AND " + dialect.isBehind() + " ORDER BY event_type, event_id LIMIT ?";
  }

  /** A queue in a few words. */
  record Head(Original of, long id, long change, long waiting, long inside) {}

  static Original original(QueueId queue, String ledger, long id) {
    return new Original(queue, ledger + "/" + id);
  }

  /** Some queues, whoever is in them. */
  List<Head> heads(String ledger, @Nullable QueueId after, int limit) throws SQLException {
    return heads(ALL_HEADS, ledger, after, limit);
  }

  /** Some of the queues that anybody is in. */
  List<Head> busyHeads(String ledger, @Nullable QueueId after, int limit) throws SQLException {
    return heads(BUSY_HEADS, ledger, after, limit);
  }

  /** Some of the queues that nobody is in and that changed last in this minute. */
  List<Head> changedHeads(long minute, String ledger, @Nullable QueueId after, int limit)
      throws SQLException {
    return heads(CHANGED_HEADS, ledger, after, limit, minute);
  }

  /** Some of the queues that changed last in this minute, whoever is in them. */
  List<Head> latelyHeads(long minute, String ledger, @Nullable QueueId after, int limit)
      throws SQLException {
    return heads(LATELY_HEADS, ledger, after, limit, minute);
  }

  private List<Head> heads(
      Sql sql, String ledger, @Nullable QueueId after, int limit, Object... values)
      throws SQLException {
    return page(
        sql,
        after,
        limit,
        result -> {
          long id = result.getLong(1);
          var queue = new QueueId(result.getString(2), result.getString(3));
          return new Head(
              original(queue, ledger, id),
              id,
              result.getLong(4),
              result.getLong(5),
              result.getLong(6));
        },
        values);
  }

  private static QueueId name(ResultSet result) throws SQLException {
    return new QueueId(result.getString(1), result.getString(2));
  }

  /** Some of the queues in which a step of admission may have something to do. */
  List<QueueId> due(long now, @Nullable QueueId after, int limit) throws SQLException {
    return page(DUE, after, limit, QueueLists::name, now, now, now, now);
  }

  /** Some of the queues for which a time has come, whoever is in them. */
  List<QueueId> turning(long now, int limit) throws SQLException {
    return rows.list(QueueLists::name, TURNING, now, limit);
  }

  /** Some of the queues that anybody is in and chance has a part in, with what is known of that. */
  List<QueueRow> drawn(@Nullable QueueId after, int limit) throws SQLException {
    return page(DRAWN, after, limit, QueueRows::row);
  }

  /** Some queues with their figures. */
  List<Overview> overviews(long now, @Nullable QueueId after, int limit) throws SQLException {
    return page(LIST, after, limit, result -> overview(result, now));
  }

  private static Overview overview(ResultSet result, long now) throws SQLException {
    QueueRow row = QueueRows.row(result);
    long first = result.getLong("first_joined");
    long longest = row.longestWait(result.wasNull() ? now : first, now);
    return new Overview(row.asQueue(now), row.figures(longest), row.rateNow(now));
  }

  Summary summary(long now, int busiest) throws SQLException {
    List<Overview> named = rows.list(result -> overview(result, now), BUSIEST, busiest);
    long longest = named.stream().mapToLong(o -> o.figures().longestWaitMicros()).max().orElse(0);
    return rows.one(
        result ->
            new Summary(
                result.getLong(1),
                new Figures(
                    result.getLong(2),
                    result.getLong(3),
                    List.of(),
                    result.getLong(4),
                    result.getLong(5),
                    longest,
                    result.getLong(6),
                    result.getLong(7),
                    result.getLong(8),
                    result.getLong(9),
                    result.getLong(10),
                    Figures.Proofs.NONE),
                named),
        SUM);
  }

  /** Runs a statement that ends with {@link #page}. */
  private <T> List<T> page(
      Sql sql, @Nullable QueueId after, int limit, Rows.Made<T> made, Object... values)
      throws SQLException {
    List<Object> all = new ArrayList<>(List.of(values));
    all.addAll(
        after == null
            ? rows.dialect().behind("", "")
            : rows.dialect().behind(after.type(), after.id()));
    all.add(limit);
    return rows.list(made, sql, all.toArray());
  }
}
