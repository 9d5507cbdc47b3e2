package io.naru.ledger;

import io.naru.decision.EntryState;
import io.naru.decision.Needs;
import io.naru.ledger.Dialect.Index;
import io.naru.queue.Admission;
import io.naru.queue.EndReason;
import io.naru.queue.Entry.Status;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Entries, as a decision needs and leaves them. */
final class EntryRows {

  private static final String SELECT =
      "SELECT e.user_id, e.joined_at, e.score, e.status, e.entered_at, e.expires_at, e.ended_at,"
          + " e.redeemed_by, e.end_reason, e.ticket FROM ";

  static final String KNOWN = "(e.live = 1 OR e.ended_at > ?)";

  private static final String OR_COMPLETED = " OR e.status = 'COMPLETED'";

  private static final String OR_RETURNED = " OR e.end_reason = 'returned'";

  static final String IS_WAITING = "AND e.status = 'WAITING' ";

  static final String IS_INSIDE = "AND e.status = 'ENTERED' ";

  static final Sql FRONT =
      select(Index.WAITING, IS_WAITING + "AND e.score >= ? ORDER BY e.score LIMIT ?");

  static final Sql OVERDUE =
      select(Index.INSIDE, IS_INSIDE + "AND e.expires_at <= ? ORDER BY e.expires_at LIMIT ?");

  static final Sql STAYING =
      select(Index.INSIDE, IS_INSIDE + "AND e.expires_at > ? ORDER BY e.expires_at LIMIT ?");

  private static final String INTO =
      """
      INSERT INTO queue_entries
        (queue_id, score, user_id, status, joined_at, entered_at, expires_at, ended_at, live, change_no, ticket)
      """;

  private static final Sql INSERT =
      Sql.of(INTO + "VALUES (?, ?, ?, 'WAITING', ?, 0, 0, 0, 1, ?, ?)");

  private static final Sql INSERT_LISTS =
      dialect ->
          INTO
              + "SELECT ?, score, user_id, 'WAITING', joined_at, 0, 0, 0, 1, ?, ticket FROM "
              + dialect.lists("bigint", "varchar", "bigint", "bigint")
              + " AS listed (score, user_id, joined_at, ticket)";

  /** Somebody who came from another ledger, of whom more is known than that they wait. */
  private static final Sql INSERT_WHOLE =
      Sql.of(
          """
      INSERT INTO queue_entries
        (queue_id, score, user_id, joined_at, change_no, ticket,
         status, entered_at, expires_at, ended_at, live, redeemed_by, end_reason)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """);

  /** Those who do not wait, as they came. */
  static final Sql OTHERS =
      select(
          Index.LINE, "AND e.joined_at > ? AND e.status <> 'WAITING' ORDER BY e.joined_at LIMIT ?");

  static final Sql UPDATE =
      Sql.of(
          """
      UPDATE queue_entries
      SET status = ?, entered_at = ?, expires_at = ?, ended_at = ?, live = ?, change_no = ?,
        redeemed_by = ?, end_reason = ?
      WHERE queue_id = ? AND joined_at = ?
      """);

  /** Whoever is moved to another lane, or gets a place. */
  private static final Sql MOVE =
      Sql.of("UPDATE queue_entries SET score = ?, ticket = ? WHERE queue_id = ? AND joined_at = ?");

  /** Of few, so it is not written with all of them; and gates alone ask for it. */
  private static final Sql CUT =
      Sql.of("UPDATE queue_entries SET cut_at = ? WHERE queue_id = ? AND joined_at = ?");

  private final Rows rows;

  EntryRows(Rows rows) {
    this.rows = rows;
  }

  /** Entries of one queue, as {@link #row} reads them. */
  static Sql select(Index index, String conditions) {
    return dialect -> SELECT + dialect.entries(index, "?") + conditions;
  }

  /**
   * @param count of the users
   */
  static Sql ofUsers(int count, String conditions) {
    return select(Index.USER, "AND e.user_id IN " + Rows.marks(count) + " AND " + conditions);
  }

  /**
   * @param count of the times
   */
  static Sql ofJoined(int count) {
    return select(Index.LINE, "AND e.joined_at IN " + Rows.marks(count));
  }

  /** The live entries of these users, and those that ended after {@code since}, oldest first. */
  List<EntryState> of(QueueRow queue, Collection<String> users, long since) throws SQLException {
    return of(queue, users, KNOWN, since);
  }

  /** All that a decision needs, each once or several times. */
  List<EntryState> fetch(QueueRow queue, Needs needs) throws SQLException {
    List<EntryState> found = new ArrayList<>();
    found.addAll(of(queue, needs.users(), known(needs), needs.endedAfter()));
    if (needs.overdue() > 0) {
      found.addAll(rows.list(EntryRows::row, OVERDUE, queue.id, needs.now(), needs.overdue()));
    }
    if (needs.stayingBeyond().isPresent()) {
      long until = needs.stayingBeyond().getAsLong();
      found.addAll(rows.list(EntryRows::row, STAYING, queue.id, until, Admission.MAX_STEP));
    }
    found.addAll(fronts(queue, needs.allFronts()));
    found.addAll(joined(queue, needs.entries()));
    return found;
  }

  private static String known(Needs needs) {
    String more =
        (needs.withCompleted() ? OR_COMPLETED : "") + (needs.withReturned() ? OR_RETURNED : "");
    return more.isEmpty() ? KNOWN : KNOWN.replace(")", more + ")");
  }

  private List<EntryState> of(
      QueueRow queue, Collection<String> users, String condition, long since) throws SQLException {
    List<EntryState> found = new ArrayList<>();
    for (List<String> some : rows.parts(users)) {
      List<Object> values = new ArrayList<>(some.size() + 2);
      values.add(queue.id);
      values.addAll(some);
      values.add(since);
      found.addAll(rows.list(EntryRows::row, ofUsers(some.size(), condition), values.toArray()));
    }
    found.sort(Comparator.comparingLong(row -> row.joined));
    return found;
  }

  /** Those that joined then, each once or several times. */
  List<EntryState> joined(QueueRow queue, Collection<Long> joined) throws SQLException {
    List<EntryState> found = new ArrayList<>();
    for (List<Long> some : rows.parts(joined)) {
      List<Object> values = new ArrayList<>(some.size() + 1);
      values.add(queue.id);
      values.addAll(some);
      found.addAll(rows.list(EntryRows::row, ofJoined(some.size()), values.toArray()));
    }
    return found;
  }

  /** The first in line. */
  List<EntryState> front(QueueRow queue, int limit) throws SQLException {
    return rows.list(EntryRows::row, FRONT, queue.id, queue.frontScore, limit);
  }

  /** Those who wait from a score on, in order. */
  List<EntryState> waitingFrom(QueueRow queue, long score, int limit) throws SQLException {
    return rows.list(EntryRows::row, FRONT, queue.id, score, limit);
  }

  /** Of each band at once, however many there are. */
  private List<EntryState> fronts(QueueRow queue, List<Needs.Front> fronts) throws SQLException {
    if (fronts.isEmpty()) {
      return List.of();
    }
    List<Object> values = new ArrayList<>(3 * fronts.size());
    for (Needs.Front front : fronts) {
      values.addAll(List.of(queue.id, front.from(), front.count()));
    }
    Sql sql = fronts.size() == 1 ? FRONT : fronts(fronts.size());
    return rows.list(EntryRows::row, sql, values.toArray());
  }

  /** So many times {@link #FRONT}, one after the other. */
  static Sql fronts(int count) {
    return dialect ->
        IntStream.range(0, count)
            .mapToObj(i -> "SELECT * FROM (" + FRONT.in(dialect) + ") band" + i)
            .collect(Collectors.joining(" UNION ALL "));
  }

  static EntryState row(ResultSet result) throws SQLException {
    var entry =
        new EntryState(
            result.getString(1),
            result.getLong(2),
            result.getLong(3),
            Status.valueOf(result.getString(4)),
            result.getLong(5),
            result.getLong(6),
            result.getLong(7),
            result.getString(8),
            EndReason.of(result.getString(9)));
    entry.ticket = result.getLong(10);
    return entry;
  }

  /** Some who do not wait, by when they joined. */
  List<EntryState> others(QueueRow queue, long after, int limit) throws SQLException {
    return rows.list(EntryRows::row, OTHERS, queue.id, after, limit);
  }

  void insert(QueueRow queue, Collection<EntryState> some) throws SQLException {
    if (some.stream().allMatch(EntryState::isPlain)) {
      insertPlain(queue, some);
      return;
    }
    insertPlain(queue, some.stream().filter(EntryState::isPlain).toList());
    rows.updateAll(
        INSERT_WHOLE,
        some.stream().filter(each -> !each.isPlain()).toList(),
        (insert, row) -> {
          set(insert, queue, row);
          insert.setString(7, row.status.name());
          insert.setLong(8, row.entered);
          insert.setLong(9, row.until);
          insert.setLong(10, row.ended);
          setLive(insert, 11, row);
          insert.setString(12, row.redeemedBy);
          insert.setString(13, row.reason.text());
        });
  }

  private void insertPlain(QueueRow queue, Collection<EntryState> some) throws SQLException {
    if (some.isEmpty()) {
      return;
    }
    if (!rows.dialect().takesSeveral()) {
      rows.updateAll(INSERT, some, (insert, row) -> set(insert, queue, row));
      return;
    }
    rows.change(
        INSERT_LISTS,
        queue.id,
        queue.change,
        some.stream().mapToLong(row -> row.score).toArray(),
        some.stream().map(row -> row.user).toArray(String[]::new),
        some.stream().mapToLong(row -> row.joined).toArray(),
        some.stream().mapToLong(row -> row.ticket).toArray());
  }

  private static void set(PreparedStatement insert, QueueRow queue, EntryState row)
      throws SQLException {
    insert.setLong(1, queue.id);
    insert.setLong(2, row.score);
    insert.setString(3, row.user);
    insert.setLong(4, row.joined);
    insert.setLong(5, queue.change);
    insert.setLong(6, row.ticket);
  }

  private static void setLive(PreparedStatement statement, int at, EntryState row)
      throws SQLException {
    if (row.isLive()) {
      statement.setInt(at, 1);
    } else {
      statement.setNull(at, Types.SMALLINT);
    }
  }

  void update(QueueRow queue, Collection<EntryState> some) throws SQLException {
    rows.updateAll(
        UPDATE,
        some,
        (update, row) -> {
          update.setString(1, row.status.name());
          update.setLong(2, row.entered);
          update.setLong(3, row.until);
          update.setLong(4, row.ended);
          setLive(update, 5, row);
          update.setLong(6, queue.change);
          update.setString(7, row.redeemedBy);
          update.setString(8, row.reason.text());
          update.setLong(9, queue.id);
          update.setLong(10, row.joined);
        });
    move(queue, some.stream().filter(row -> row.isMoved).toList());
    cut(queue, some.stream().filter(row -> row.cut > 0).toList());
  }

  private void cut(QueueRow queue, List<EntryState> some) throws SQLException {
    rows.updateAll(
        CUT,
        some,
        (cut, row) -> {
          cut.setLong(1, row.cut);
          cut.setLong(2, queue.id);
          cut.setLong(3, row.joined);
        });
  }

  private void move(QueueRow queue, List<EntryState> some) throws SQLException {
    rows.updateAll(
        MOVE,
        some,
        (move, row) -> {
          move.setLong(1, row.score);
          move.setLong(2, row.ticket);
          move.setLong(3, queue.id);
          move.setLong(4, row.joined);
        });
  }
}
