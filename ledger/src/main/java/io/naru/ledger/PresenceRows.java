package io.naru.ledger;

import io.naru.decision.EntryState;
import io.naru.decision.Needs;
import io.naru.decision.Outcome;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Who near the front was seen when, and who was passed over and still waits. */
final class PresenceRows {

  private static final Sql PUT_SEEN =
      dialect ->
          dialect.orReplace(
              "INSERT INTO queue_seen (queue_id, joined_at, seen_at) VALUES (?, ?, ?)",
              "queue_id, joined_at",
              "seen_at");

  private static final Sql FORGET_SEEN =
      Sql.of("DELETE FROM queue_seen WHERE queue_id = ? AND seen_at < ?");

  private static final Sql PUT_ABSENT =
      dialect ->
          dialect.orReplace(
              "INSERT INTO queue_absent (queue_id, joined_at, score, since) VALUES (?, ?, ?, ?)",
              "queue_id, joined_at",
              "score",
              "since");

  private static final Sql DELETE_ABSENT =
      Sql.of("DELETE FROM queue_absent WHERE queue_id = ? AND joined_at = ?");

  private static final String SELECT =
      "SELECT joined_at, since FROM queue_absent WHERE queue_id = ? ";

  static final Sql BACK = by("since", "AND since = 0 AND score >= ? ORDER BY score LIMIT ?");

  static final Sql ABSENT = by("since", "AND since > 0 ORDER BY since LIMIT ?");

  static final Sql FIRST = by("score", "AND score >= ? ORDER BY score LIMIT 1");

  private static final Sql FORGET_ABSENT = Sql.of("DELETE FROM queue_absent WHERE queue_id = ?");

  private final Rows rows;

  PresenceRows(Rows rows) {
    this.rows = rows;
  }

  /** With the index that is meant for it, where one must be named: others read it as a comment. */
  private static Sql by(String index, String conditions) {
    String forced = "queue_absent /*M! FORCE INDEX (queue_absent_" + index + ") */ ";
    return Sql.of(SELECT.replace("queue_absent ", forced) + conditions);
  }

  private record Mark(long joined, long since) {}

  private static Mark mark(ResultSet result) throws SQLException {
    return new Mark(result.getLong(1), result.getLong(2));
  }

  List<EntryState> passed(QueueRow queue, Needs.Passed needs) throws SQLException {
    List<Mark> marks = new ArrayList<>();
    Needs.Passed all =
        needs.owing() > 0 ? needs.and(rows.owed().first(queue.id, needs.owing())) : needs;
    for (List<Long> some : rows.parts(all.joined())) {
      marks.addAll(list(ofJoined(SELECT, some.size()), queue.id, some));
    }
    for (Needs.Front back : needs.back()) {
      marks.addAll(rows.list(PresenceRows::mark, BACK, queue.id, back.from(), back.count()));
    }
    if (needs.absent() > 0) {
      marks.addAll(rows.list(PresenceRows::mark, ABSENT, queue.id, needs.absent()));
    }
    for (long from : needs.firsts()) {
      marks.addAll(rows.list(PresenceRows::mark, FIRST, queue.id, from));
    }
    Map<Long, Long> since = new HashMap<>();
    marks.forEach(mark -> since.put(mark.joined, mark.since));
    List<EntryState> passed = rows.entries().joined(queue, since.keySet());
    passed.forEach(entry -> entry.passed(since.getOrDefault(entry.joined, 0L)));
    return passed;
  }

  /** Since when somebody is away who was passed over; 0 if they are not. */
  long since(long queue, long joined) throws SQLException {
    return list(ofJoined(SELECT, 1), queue, List.of(joined)).stream()
        .mapToLong(Mark::since)
        .findFirst()
        .orElse(0);
  }

  Map<Long, Long> seen(long queue, Collection<Long> joined) throws SQLException {
    Map<Long, Long> seen = new HashMap<>();
    String select = "SELECT joined_at, seen_at FROM queue_seen WHERE queue_id = ? ";
    for (List<Long> some : rows.parts(joined)) {
      list(ofJoined(select, some.size()), queue, some)
          .forEach(mark -> seen.put(mark.joined, mark.since));
    }
    return seen;
  }

  private static Sql ofJoined(String select, int count) {
    return Sql.of(select + "AND joined_at IN " + Rows.marks(count));
  }

  private List<Mark> list(Sql sql, long queue, List<Long> joined) throws SQLException {
    List<Object> values = new ArrayList<>(joined.size() + 1);
    values.add(queue);
    values.addAll(joined);
    return rows.list(PresenceRows::mark, sql, values.toArray());
  }

  void note(long queue, Outcome.Noted noted) throws SQLException {
    if (noted.isOver()) {
      forgetAll(queue);
    }
    rows.owed().note(queue, noted.owing());
    putSeen(queue, noted);
    if (noted.forgotten() > 0) {
      rows.update(FORGET_SEEN, queue, noted.forgotten());
    }
    putAbsent(queue, noted.passed().stream().filter(PresenceRows::isKept).toList());
    deleteAbsent(queue, noted.passed().stream().filter(entry -> !isKept(entry)).toList());
  }

  private static boolean isKept(EntryState entry) {
    return entry.isWaiting() && entry.isPassed;
  }

  private void putSeen(long queue, Outcome.Noted noted) throws SQLException {
    rows.updateAll(
        PUT_SEEN,
        noted.seen(),
        (put, joined) -> {
          put.setLong(1, queue);
          put.setLong(2, joined);
          put.setLong(3, noted.at());
        });
  }

  private void putAbsent(long queue, List<EntryState> some) throws SQLException {
    rows.updateAll(
        PUT_ABSENT,
        some,
        (put, entry) -> {
          put.setLong(1, queue);
          put.setLong(2, entry.joined);
          put.setLong(3, entry.score);
          put.setLong(4, entry.absentSince);
        });
  }

  private void deleteAbsent(long queue, List<EntryState> some) throws SQLException {
    rows.updateAll(
        DELETE_ABSENT,
        some,
        (delete, entry) -> {
          delete.setLong(1, queue);
          delete.setLong(2, entry.joined);
        });
  }

  /** All of a queue. */
  void forgetAll(long queue) throws SQLException {
    rows.owed().forgetAll(queue);
    rows.update(FORGET_ABSENT, queue);
    rows.update(FORGET_SEEN, queue, Long.MAX_VALUE);
  }
}
