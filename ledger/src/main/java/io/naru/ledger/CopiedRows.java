package io.naru.ledger;

import io.naru.decision.EntryState;
import io.naru.ledger.Dialect.Index;
import io.naru.line.Fact;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Entries, as a copy of the line needs them. */
final class CopiedRows {

  private static final String SINCE = "AND e.change_no > ? ORDER BY e.change_no";

  static final Sql SOME_SINCE = EntryRows.select(Index.CHANGE, SINCE + " LIMIT ?");

  static final Sql ALL_SINCE = EntryRows.select(Index.CHANGE, SINCE + ", e.joined_at");

  static final Sql WAITING =
      EntryRows.select(Index.WAITING, EntryRows.IS_WAITING + "AND e.score >= ? ORDER BY e.score");

  static final Sql INSIDE =
      EntryRows.select(
          Index.INSIDE, EntryRows.IS_INSIDE + "AND e.expires_at > ? ORDER BY e.expires_at");

  private final Rows rows;

  CopiedRows(Rows rows) {
    this.rows = rows;
  }

  /** The entries that were touched after a change, by when they joined, as they stand now. */
  List<Fact> touchedSince(long queue, long change, int limit) throws SQLException {
    return rows.list(EntryRows::row, SOME_SINCE, queue, change, limit).stream()
        .sorted(Comparator.comparingLong(row -> row.joined))
        .map(EntryState::fact)
        .toList();
  }

  /** Takes some of what is read. */
  interface Taker {
    void take(List<Fact> some) throws Exception;
  }

  /**
   * The same in parts, without holding them all. By change: an entry is over before its user has
   * another one, so the later one comes later.
   */
  void touchedSince(long queue, long change, int size, Taker taker) throws Exception {
    inParts(ALL_SINCE, queue, change, size, taker);
  }

  /** Reads everybody who waits, in parts, without holding them all. */
  void waiting(QueueRow queue, int size, Taker taker) throws Exception {
    inParts(WAITING, queue.id, queue.frontScore, size, taker);
  }

  /** Reads everybody who is inside, in parts, without holding them all. */
  void inside(QueueRow queue, int size, Taker taker) throws Exception {
    inParts(INSIDE, queue.id, Long.MIN_VALUE, size, taker);
  }

  private void inParts(Sql sql, long queue, long bound, int size, Taker taker) throws Exception {
    try (PreparedStatement select = rows.prepare(sql, queue, bound)) {
      select.setFetchSize(size);
      List<Fact> part = new ArrayList<>(size);
      try (ResultSet result = select.executeQuery()) {
        while (result.next()) {
          part.add(EntryRows.row(result).fact());
          if (part.size() == size) {
            taker.take(part);
            part = new ArrayList<>(size);
          }
        }
      }
      if (!part.isEmpty()) {
        taker.take(part);
      }
    }
  }
}
