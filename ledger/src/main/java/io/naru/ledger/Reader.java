package io.naru.ledger;

import io.naru.line.Change;
import io.naru.line.CopyState;
import io.naru.line.Fact;
import io.naru.line.LineCopy;
import io.naru.line.Original;
import io.naru.line.OverTurn;
import io.naru.line.Standing;
import io.naru.line.Told;
import io.naru.queue.Entry;
import io.naru.queue.Entry.Status;
import io.naru.queue.LineState;
import io.naru.queue.Overview;
import io.naru.queue.Place;
import io.naru.queue.QueueId;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;

/** All reading of the ledger outside the writer's transactions. Every method blocks. */
final class Reader implements Keeper.Source {

  static final int MAX_QUEUES = 10_000;

  /** A jump is one step of the copy; more than this would hold it up, and is built anew instead. */
  private static final int MAX_JUMP = 20_000;

  private static final int COPY_PART = 2_000;

  /** More than can end with one change, so that each part is of whole changes. */
  private static final int OVER_PART = 4_096;

  private final DataSource pool;
  private final DataSource copyPool;
  private final Direct direct;
  private final Dialect dialect;
  private final String ledger;

  Reader(DataSource pool, DataSource copyPool, Direct direct, Dialect dialect, String ledger) {
    this.pool = pool;
    this.copyPool = copyPool;
    this.direct = direct;
    this.dialect = dialect;
    this.ledger = ledger;
  }

  /** Something read in one snapshot. */
  private interface Reading<T> {
    T read(Connection connection, Rows rows) throws Exception;
  }

  private <T> T read(DataSource from, Reading<T> reading) throws Exception {
    try (Connection connection = connect(from)) {
      dialect.beginSnapshot(connection);
      try {
        return reading.read(connection, new Rows(connection));
      } finally {
        connection.rollback();
      }
    }
  }

  /**
   * After an outage a pool tries to connect more and more seldom; whoever waits for an answer does
   * not, and so sees at once that the database is back.
   */
  private Connection connect(DataSource from) throws SQLException {
    try {
      return from.getConnection();
    } catch (SQLTransientConnectionException e) {
      return direct.open();
    }
  }

  /** Makes a connection beside the pools. */
  interface Direct {
    Connection open() throws SQLException;
  }

  List<Rows.Head> heads() throws Exception {
    return read(
        pool,
        (connection, rows) -> {
          // Once a second, so that the time is known here as well.
          dialect.now(connection);
          return rows.heads(ledger, MAX_QUEUES);
        });
  }

  /** Those of these queues that exist. */
  Set<Original> existing(List<QueueId> queues) throws Exception {
    return read(
        pool,
        (_, rows) -> {
          Set<Original> found = new HashSet<>();
          for (QueueId queue : new HashSet<>(queues)) {
            rows.queue(queue).ifPresent(row -> found.add(originalOf(row)));
          }
          return found;
        });
  }

  Original originalOf(QueueRow row) {
    return Rows.original(row.queue, ledger, row.id);
  }

  Optional<Overview> overview(QueueId queue) throws Exception {
    return read(
        pool,
        (connection, rows) -> {
          Optional<QueueRow> found = rows.queue(queue);
          if (found.isEmpty()) {
            return Optional.empty();
          }
          QueueRow row = found.get();
          long now = dialect.now(connection);
          long longest =
              row.waiting == 0
                  ? 0
                  : rows.front(row, 1).stream()
                      .mapToLong(first -> Math.max(0, now - first.joined()))
                      .findFirst()
                      .orElse(0);
          return Optional.of(new Overview(row.asQueue(), row.figures(longest)));
        });
  }

  /**
   * Somebody whose place is asked for.
   *
   * @param joined when the entry joined that is meant, {@link #LATEST} for the user's latest
   */
  record Asked(QueueId queue, String user, long joined) {

    static final long LATEST = -1;
  }

  /** Where these stand, counted in the ledger. */
  List<Standing> locate(List<Asked> all) throws Exception {
    return read(
        pool,
        (connection, rows) -> {
          long now = dialect.now(connection);
          Map<QueueId, List<Asked>> byQueue =
              all.stream().distinct().collect(Collectors.groupingBy(Asked::queue));
          Map<Asked, Standing> standings = new HashMap<>();
          for (var entry : byQueue.entrySet()) {
            Optional<QueueRow> row = rows.queue(entry.getKey());
            if (row.isPresent()) {
              locate(rows, row.get(), entry.getValue(), now, standings);
            } else {
              entry.getValue().forEach(asked -> standings.put(asked, new Standing.NoQueue()));
            }
          }
          return all.stream()
              .map(asked -> standings.getOrDefault(asked, new Standing.Unknown()))
              .toList();
        });
  }

  /** One who is asked for and the entry that is meant. */
  private record Meant(Asked asked, EntryRow row) {}

  private static void locate(
      Rows rows, QueueRow queue, List<Asked> all, long now, Map<Asked, Standing> into)
      throws SQLException {
    Set<String> users = all.stream().map(Asked::user).collect(Collectors.toSet());
    Map<Asked, EntryRow> known = new HashMap<>();
    for (EntryRow row : rows.entriesOf(queue, users, now - Transaction.FINISHED_KNOWN)) {
      known.put(new Asked(queue.queue, row.user, Asked.LATEST), row);
      known.put(new Asked(queue.queue, row.user, row.joined()), row);
    }
    LineState line = queue.lineState();
    // In the order of the line, each counted from the one before: together they cost one look along
    // the line, however many they are.
    List<Meant> sorted =
        all.stream()
            .flatMap(a -> Stream.ofNullable(known.get(a)).map(row -> new Meant(a, row)))
            .sorted(Comparator.comparingLong(meant -> meant.row.score))
            .toList();
    long counted = 0;
    long upTo = queue.frontScore;
    for (Meant meant : sorted) {
      EntryRow row = meant.row;
      if (row.isWaiting()) {
        counted += rows.waitingBetween(queue.id, upTo, row.score);
        upTo = row.score;
        into.put(meant.asked, found(row.in(queue.queue), counted, line));
      } else if (row.status != Status.LEFT) {
        Entry entry = row.in(queue.queue);
        if (row.isOverdue(now)) {
          entry = new Entry(entry.key(), Status.EXPIRED, entry.entered(), entry.until());
        }
        into.put(meant.asked, found(entry, 0, line));
      }
    }
  }

  private static Standing found(Entry entry, long ahead, LineState line) {
    return new Standing.Found(new Place(entry, ahead, line));
  }

  /** Turns that are over since a change are asked for; 0 for all that count. */
  record AskedOver(QueueId queue, long after) {}

  /**
   * @param isComplete false: there are more than these
   */
  record SomeOver(Told told, List<OverTurn> turns, boolean isComplete) {}

  List<SomeOver> over(List<AskedOver> all) throws Exception {
    return read(
        pool,
        (connection, rows) -> {
          long now = dialect.now(connection);
          List<SomeOver> answers = new ArrayList<>(all.size());
          for (AskedOver asked : all) {
            answers.add(over(rows, asked, now));
          }
          return answers;
        });
  }

  private static SomeOver over(Rows rows, AskedOver asked, long now) throws SQLException {
    Optional<QueueRow> found = rows.queue(asked.queue);
    if (found.isEmpty()) {
      return new SomeOver(new Told.NoQueue(), List.of(), true);
    }
    QueueRow row = found.get();
    boolean isAll = asked.after == 0 || asked.after > row.change;
    List<OverTurn> turns =
        isAll
            ? rows.overSome(row, now, OVER_PART)
            : rows.overSince(row, asked.after, now, OVER_PART);
    if (turns.size() < OVER_PART) {
      return new SomeOver(new Told.UpTo(row.createdAt, row.change), turns, true);
    }
    if (isAll) {
      return new SomeOver(new Told.UpTo(row.createdAt, 0), List.of(), false);
    }
    // What ended with the last of these changes may go on beyond them.
    long last = turns.getLast().change();
    List<OverTurn> whole = turns.stream().filter(turn -> turn.change() < last).toList();
    return new SomeOver(new Told.UpTo(row.createdAt, last - 1), whole, false);
  }

  /** All of them, however many, which takes its time. */
  Told allOver(QueueId queue, Consumer<OverTurn> each) throws Exception {
    return read(
        copyPool,
        (connection, rows) -> {
          Optional<QueueRow> found = rows.queue(queue);
          if (found.isEmpty()) {
            return new Told.NoQueue();
          }
          QueueRow row = found.get();
          rows.overAll(row, dialect.now(connection), COPY_PART, each);
          return new Told.UpTo(row.createdAt, row.change);
        });
  }

  // For the copy.

  @Override
  public long changeOf(Original of) throws Exception {
    return read(pool, (_, rows) -> current(rows, of).map(row -> row.change).orElse(-1L));
  }

  private Optional<QueueRow> current(Rows rows, Original of) throws SQLException {
    return rows.queue(of.queue()).filter(row -> originalOf(row).equals(of));
  }

  @Override
  public Optional<Change> since(Original of, long change) throws Exception {
    return read(
        pool,
        (_, rows) -> {
          Optional<QueueRow> found = current(rows, of);
          if (found.isEmpty() || change < found.get().keptFrom) {
            return Optional.<Change>empty();
          }
          QueueRow row = found.get();
          List<Fact> facts = rows.touchedSince(row.id, change, MAX_JUMP + 1);
          return facts.size() > MAX_JUMP
              ? Optional.empty()
              : Optional.of(
                  new Change(change, row.change, facts, row.waiting, row.inside, row.settings));
        });
  }

  @Override
  public CopyState copy(Original of, LineCopy.Rebuild into) throws Exception {
    return read(
        copyPool,
        (_, rows) -> {
          QueueRow row =
              current(rows, of)
                  .orElseThrow(() -> new IllegalStateException(of.queue() + " is gone"));
          rows.live(row.id, COPY_PART, some -> add(into, some));
          return Keeper.await(into.finish(row.change, row.waiting, row.inside, row.settings));
        });
  }

  private static void add(LineCopy.Rebuild into, List<Fact> some) throws SQLException {
    try {
      Keeper.await(into.add(new ArrayList<>(some)));
    } catch (Exception e) {
      throw new SQLException("the copy does not take what it is given", e);
    }
  }
}
