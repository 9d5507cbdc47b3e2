package io.naru.ledger;

import io.naru.decision.EntryState;
import io.naru.ledger.Dialect.Index;
import io.naru.ledger.copies.Source;
import io.naru.line.Fact;
import io.naru.line.Held;
import io.naru.line.Part;
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

  /**
   * The same in parts, without holding them all. By change: an entry is over before its user has
   * another one, so the later one comes later.
   */
  void touchedSince(long queue, long change, int size, Source.Taker taker) throws Exception {
    inParts(ALL_SINCE, queue, change, size, taker);
  }

  /** Reads everybody who waits, in parts, without holding them all. */
  void waiting(QueueRow queue, int size, Source.Taker taker) throws Exception {
    inParts(WAITING, queue.id, queue.frontScore, size, taker);
  }

  /** Reads everybody who is inside, in parts, without holding them all. */
  void inside(QueueRow queue, int size, Source.Taker taker) throws Exception {
    inParts(INSIDE, queue.id, Long.MIN_VALUE, size, taker);
  }

  /** Some who wait or are inside, as {@link Source#part} says. */
  Source.Extent part(QueueRow queue, boolean isInside, long after, int limit) throws SQLException {
    for (int wanted = limit; ; wanted *= 2) {
      List<Fact> found = isInside ? staying(queue, after, wanted) : front(queue, after, wanted);
      long end = Part.END;
      if (found.size() == wanted) {
        long last = Part.at(found.getLast());
        // Others may end at the same time as the last one, and are not among these.
        end = isInside ? last - 1 : last;
      }
      var part = new Part(isInside, after, end);
      List<Fact> whole =
          found.stream().filter(part::contains).sorted(Part.ORDER).map(Part::known).toList();
      if (!whole.isEmpty() || found.isEmpty()) {
        return new Source.Extent(part, new Held(queue.change, whole));
      }
    }
  }

  private List<Fact> front(QueueRow queue, long after, int limit) throws SQLException {
    long from = after == Part.BEGINNING ? queue.frontScore : after + 1;
    return facts(EntryRows.FRONT, queue.id, from, limit);
  }

  private List<Fact> staying(QueueRow queue, long after, int limit) throws SQLException {
    return facts(EntryRows.STAYING, queue.id, after, limit);
  }

  private List<Fact> facts(Sql sql, Object... values) throws SQLException {
    return rows.list(EntryRows::row, sql, values).stream().map(EntryState::fact).toList();
  }

  private void inParts(Sql sql, long queue, long bound, int size, Source.Taker taker)
      throws Exception {
    List<Fact> part = new ArrayList<>(size);
    Rows.Each<Exception> each =
        result -> {
          part.add(EntryRows.row(result).fact());
          if (part.size() == size) {
            taker.take(List.copyOf(part));
            part.clear();
          }
        };
    rows.each(each, size, sql, queue, bound);
    if (!part.isEmpty()) {
      taker.take(List.copyOf(part));
    }
  }
}
