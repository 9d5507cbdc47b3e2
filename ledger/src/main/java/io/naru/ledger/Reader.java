package io.naru.ledger;

import io.naru.decision.Book.Debt;
import io.naru.decision.Decision;
import io.naru.decision.EntryState;
import io.naru.ledger.copies.Source;
import io.naru.line.Change;
import io.naru.line.Fact;
import io.naru.line.Original;
import io.naru.line.OverTurn;
import io.naru.line.Score;
import io.naru.line.Standing;
import io.naru.line.Told;
import io.naru.queue.DrawView;
import io.naru.queue.EntryKey;
import io.naru.queue.LineState;
import io.naru.queue.Overview;
import io.naru.queue.Owed;
import io.naru.queue.Place;
import io.naru.queue.QueueId;
import io.naru.queue.Summary;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** All reading of the ledger outside the writer's transactions. Every method blocks. */
final class Reader implements Source {

  /** How many queues are read at a time; there may be any number of them. */
  static final int PAGE = 1_000;

  /** More than can be decided until the next look. */
  private static final int MAX_TURNING = 10_000;

  private static final int COPY_PART = 2_000;

  /** More than can end with one change, so that each part is of whole changes. */
  private static final int OVER_PART = 4_096;

  /** Moving a tally on by more than that takes longer than somebody waits; it is made anew. */
  private static final int MAX_STEP = 20_000;

  private final Pool pool;
  private final Pool copyPool;
  private final Direct direct;
  private final Semaphore beside = new Semaphore(1);
  private final Dialect dialect;
  private final String ledger;

  Reader(Pool pool, Pool copyPool, Direct direct, Dialect dialect, String ledger) {
    this.pool = pool;
    this.copyPool = copyPool;
    this.direct = direct;
    this.dialect = dialect;
    this.ledger = ledger;
  }

  /** Something read in one snapshot. */
  interface Reading<T> {
    T read(Connection connection, Rows rows) throws Exception;
  }

  /** A short read, for which somebody may wait. */
  <T> T read(Reading<T> reading) throws Exception {
    Connection connection;
    try {
      connection = pool.getConnection();
    } catch (SQLTransientConnectionException e) {
      return readBeside(reading, e);
    }
    return read(connection, reading);
  }

  /**
   * When a network is back, the pool's one try to connect may still hang in what it was before;
   * whoever waits for an answer begins another. One at a time: the pool may as well be busy, and
   * the database has connections for others, too.
   */
  private <T> T readBeside(Reading<T> reading, SQLException busy) throws Exception {
    if (!beside.tryAcquire()) {
      throw busy;
    }
    try {
      return read(direct.open(), reading);
    } finally {
      beside.release();
    }
  }

  /** A long read, for which nobody waits. */
  <T> T readLong(Reading<T> reading) throws Exception {
    return read(copyPool.getConnection(), reading);
  }

  private <T> T read(Connection open, Reading<T> reading) throws Exception {
    try (Connection connection = open) {
      dialect.beginSnapshot(connection);
      try {
        return reading.read(connection, new Rows(connection, dialect));
      } finally {
        connection.rollback();
      }
    }
  }

  /** Makes a connection beside the pools. */
  interface Direct {
    Connection open() throws SQLException;
  }

  /** All queues. */
  void allHeads(Consumer<QueueLists.Head> taker) throws Exception {
    pages(
        (_, rows, after) -> rows.lists().heads(ledger, after, PAGE),
        head -> head.of().queue(),
        taker);
  }

  /** The queues that anybody is in, and those that changed within the last minute. */
  void heads(Consumer<QueueLists.Head> taker) throws Exception {
    // Once a second, so that the time is known here as well.
    long now = read((connection, _) -> dialect.now(connection));
    Function<QueueLists.Head, QueueId> name = head -> head.of().queue();
    pages((_, rows, after) -> rows.lists().busyHeads(ledger, after, PAGE), name, taker);
    for (long minute : new long[] {now / Decision.MINUTE, now / Decision.MINUTE - 1}) {
      pages(
          (_, rows, after) -> rows.lists().changedHeads(minute, ledger, after, PAGE), name, taker);
    }
  }

  /** The queues that changed in this minute or the last, whoever is in them. */
  void lately(Consumer<QueueLists.Head> taker) throws Exception {
    long now = dialect.nowHere() / Decision.MINUTE;
    for (long minute : new long[] {now, now - 1}) {
      pages(
          (_, rows, after) -> rows.lists().latelyHeads(minute, ledger, after, PAGE),
          head -> head.of().queue(),
          taker);
    }
  }

  /** The next queues in which a step of admission may have something to do now. */
  List<QueueId> due(@Nullable QueueId after) throws Exception {
    return read((connection, rows) -> rows.lists().due(dialect.now(connection), after, PAGE));
  }

  /** Queues for which a time has come, and nobody has decided since. */
  List<QueueId> turning() throws Exception {
    return read((connection, rows) -> rows.lists().turning(dialect.now(connection), MAX_TURNING));
  }

  /** The queues whose draw waits for somebody. */
  List<QueueId> draws() throws Exception {
    long now = read((connection, _) -> dialect.now(connection));
    List<QueueId> draws = new ArrayList<>();
    pages(
        (_, rows, after) -> rows.lists().drawn(after, PAGE),
        row -> row.queue,
        row -> {
          if (row.isDrawUnderWay(now)) {
            draws.add(row.queue);
          }
        });
    return draws;
  }

  List<Overview> overviews(@Nullable QueueId after, int limit) throws Exception {
    return read(
        (connection, rows) -> rows.lists().overviews(dialect.now(connection), after, limit));
  }

  Summary summary(int busiest) throws Exception {
    return read((connection, rows) -> rows.lists().summary(dialect.now(connection), busiest));
  }

  /** Some queues behind one that was read already. */
  private interface Page<T> {
    List<T> read(Connection connection, Rows rows, @Nullable QueueId after) throws Exception;
  }

  /** Reads page after page, each in a snapshot of its own. */
  private <T> void pages(Page<T> page, Function<T, QueueId> name, Consumer<T> taker)
      throws Exception {
    @Nullable QueueId after = null;
    List<T> some;
    do {
      @Nullable QueueId last = after;
      some = read((connection, rows) -> page.read(connection, rows, last));
      some.forEach(taker);
      after = some.isEmpty() ? null : name.apply(some.getLast());
    } while (some.size() == PAGE);
  }

  /** Those of these queues that exist. */
  Set<Original> existing(List<QueueId> queues) throws Exception {
    return read(
        (_, rows) -> {
          Set<Original> found = new HashSet<>();
          rows.queues()
              .numbers(queues)
              .forEach((queue, id) -> found.add(QueueLists.original(queue, ledger, id)));
          return found;
        });
  }

  Original originalOf(QueueRow row) {
    return QueueLists.original(row.queue, ledger, row.id);
  }

  /** Those of these queues that exist, in one snapshot; without how long the first has waited. */
  List<Overview> overviews(Set<QueueId> queues) throws Exception {
    return read(
        (connection, rows) -> {
          long now = dialect.now(connection);
          List<Overview> found = new ArrayList<>(queues.size());
          for (QueueId queue : queues) {
            rows.queues()
                .find(queue)
                .filter(row -> row.version > 0)
                .ifPresent(
                    row ->
                        found.add(
                            new Overview(row.asQueue(now), row.figures(0), row.rateNow(now))));
          }
          return found;
        });
  }

  /** Those of these queues that exist, in one snapshot. */
  Map<QueueId, Overview> find(List<QueueId> queues) throws Exception {
    return read(
        (connection, rows) -> {
          long now = dialect.now(connection);
          Map<QueueId, Overview> found = new HashMap<>();
          for (QueueRow row : rows.queues().find(queues).values()) {
            found.put(row.queue, overview(rows, row, now));
          }
          return found;
        });
  }

  private static Overview overview(Rows rows, QueueRow row, long now) throws SQLException {
    long first =
        row.waiting == 0 || !row.bands.isOne()
            ? now
            : rows.entries().front(row, 1).stream()
                .mapToLong(entry -> entry.joined)
                .findFirst()
                .orElse(now);
    return new Overview(
        row.asQueue(now), row.figures(row.longestWait(first, now)), row.rateNow(now));
  }

  /** The draws of these queues. */
  Map<QueueId, DrawView> drawViews(List<QueueId> queues) throws Exception {
    return read(
        (connection, rows) -> {
          long now = dialect.now(connection);
          Map<QueueId, DrawView> found = new HashMap<>();
          for (QueueRow row : rows.queues().find(queues).values()) {
            row.drawView(now).ifPresent(view -> found.put(row.queue, view));
          }
          return found;
        });
  }

  /** What those of these owe who wait. */
  Map<EntryKey, Owed> owed(List<EntryKey> entries) throws Exception {
    Map<QueueId, List<EntryKey>> byQueue =
        entries.stream().collect(Collectors.groupingBy(EntryKey::queue));
    return read(
        (_, rows) -> {
          Map<EntryKey, Owed> found = new HashMap<>();
          for (var queue : rows.queues().numbers(byQueue.keySet()).entrySet()) {
            List<EntryKey> asked = Objects.requireNonNull(byQueue.get(queue.getKey()));
            Map<Long, Debt> debts =
                rows.owed().of(queue.getValue(), asked.stream().map(EntryKey::joined).toList());
            for (EntryKey each : asked) {
              Debt debt = debts.get(each.joined());
              if (debt != null) {
                found.put(each, debt.owed());
              }
            }
          }
          return found;
        });
  }

  /**
   * Somebody whose place is asked for.
   *
   * @param joined when the entry joined that is meant, {@link #LATEST} for the user's latest
   */
  record Wanted(QueueId queue, String user, long joined) {

    static final long LATEST = -1;
  }

  /** Where these stand, as the ledger has it: by the tally of their queue, or counted. */
  void locate(List<Wanted> all, Tallies tallies, Places.Progress progress) throws Exception {
    Map<QueueId, List<Wanted>> byQueue =
        all.stream().distinct().collect(Collectors.groupingBy(Wanted::queue));
    for (QueueId queue : List.copyOf(byQueue.keySet())) {
      Tally tally = tallies.of(queue);
      if (tally != null) {
        var asked = Map.of(queue, Objects.requireNonNull(byQueue.remove(queue)));
        progress.begins(queue);
        // Before the snapshot is taken: nobody moves it on to a later state than that meanwhile.
        synchronized (tally) {
          locate(asked, tally, tallies, progress);
        }
      }
    }
    if (!byQueue.isEmpty()) {
      locate(byQueue, null, tallies, progress);
    }
  }

  private void locate(
      Map<QueueId, List<Wanted>> byQueue,
      @Nullable Tally tally,
      Tallies tallies,
      Places.Progress progress)
      throws Exception {
    read(
        (connection, rows) -> {
          long now = dialect.now(connection);
          for (var entry : byQueue.entrySet()) {
            progress.begins(entry.getKey());
            Optional<QueueRow> row = rows.queues().find(entry.getKey());
            if (row.isPresent()) {
              boolean isTold = tally != null && isMovedOn(tally, rows, row.get(), tallies);
              locate(rows, row.get(), entry.getValue(), now, isTold ? tally : null, progress);
            } else {
              entry.getValue().forEach(asked -> progress.found(asked, new Standing.NoQueue()));
            }
            progress.ends(entry.getKey());
          }
          return true;
        });
  }

  /** One who is asked for and the entry that is meant. */
  private record Meant(Wanted asked, EntryState row) {}

  private static void locate(
      Rows rows,
      QueueRow queue,
      List<Wanted> all,
      long now,
      @Nullable Tally tally,
      Places.Progress progress)
      throws SQLException {
    Set<String> users = all.stream().map(Wanted::user).collect(Collectors.toSet());
    Map<Wanted, EntryState> known = new HashMap<>();
    for (EntryState row : rows.entries().of(queue, users, now - EntryState.ENDED_KNOWN)) {
      known.put(new Wanted(queue.queue, row.user, Wanted.LATEST), row);
      known.put(new Wanted(queue.queue, row.user, row.joined), row);
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
      EntryState row = meant.row;
      if (row.isWaiting()) {
        long lane = Score.laneFrom(row.score);
        if (upTo < lane) {
          // Who stands in another lane is before nobody here.
          counted = 0;
          upTo = lane;
        }
        if (tally == null) {
          counted += rows.counted().waitingBetween(queue.id, upTo, row.score);
          upTo = row.score;
        } else {
          counted = tally.ahead(row.score);
        }
        Place place = new Place(row.in(queue.queue), row.score, counted, row.ticket, line);
        progress.found(meant.asked, new Standing.Found(place));
      } else if (row.isTold()) {
        progress.found(
            meant.asked, new Standing.Found(Place.beyond(row.in(queue.queue, now), line)));
      }
    }
  }

  /** Whether this tally is now of the very state that is read here. */
  private boolean isMovedOn(Tally tally, Rows rows, QueueRow row, Tallies tallies)
      throws SQLException {
    boolean isKnown = originalOf(row).equals(tally.of()) && tally.change() >= row.keptFrom;
    List<Fact> facts =
        isKnown && tally.change() < row.change
            ? rows.copied().touchedSince(row.id, tally.change(), MAX_STEP + 1)
            : List.of();
    boolean isOn = false;
    try {
      isOn = isKnown && facts.size() <= MAX_STEP && tally.advance(facts, row.lineState());
    } finally {
      if (!isOn) {
        // Also if it failed halfway: it would fail everybody who asks from then on.
        tallies.drop(tally);
      }
    }
    if (isOn) {
      tallies.read(tally);
    }
    return isOn;
  }

  /** Moves a tally on to what the ledger is now. */
  void follow(Tally tally, Tallies tallies) throws Exception {
    synchronized (tally) {
      read(
          (_, rows) -> {
            Optional<QueueRow> row = current(rows, tally.of());
            if (row.isEmpty()) {
              tallies.drop(tally);
            } else {
              isMovedOn(tally, rows, row.get(), tallies);
            }
            return true;
          });
    }
  }

  /** How many wait; 0 if the queue is gone. */
  long waiting(Original of) throws Exception {
    return read((_, rows) -> current(rows, of).map(row -> row.waiting).orElse(0L));
  }

  /** The scores of all who wait; empty if they are more than {@code max}, or the queue is gone. */
  Optional<Tally> tally(Original of, long max) throws Exception {
    return read((_, rows) -> tally(rows, of, max));
  }

  /** The same of a long line: nobody who asks for something short waits for that connection. */
  Optional<Tally> longTally(Original of, long max) throws Exception {
    return readLong((_, rows) -> tally(rows, of, max));
  }

  private Optional<Tally> tally(Rows rows, Original of, long max) throws SQLException {
    Optional<QueueRow> found = current(rows, of);
    if (found.isEmpty() || found.get().waiting > max) {
      return Optional.empty();
    }
    QueueRow row = found.get();
    // With room for those who come.
    int room = (int) (row.waiting + row.waiting / 16 + 64);
    long[] scores = new long[room];
    long[] tickets = new long[room];
    int count = rows.counted().scores(row, scores, tickets);
    return Optional.of(new Tally(of, scores, tickets, count, row.lineState()));
  }

  /** Turns that are over since a change are asked for; 0 for all that count. */
  record WantedOver(QueueId queue, long after) {}

  /**
   * @param isComplete false: there are more than these
   */
  record SomeOver(Told told, List<OverTurn> turns, boolean isComplete) {

    static final SomeOver NO_QUEUE = new SomeOver(new Told.NoQueue(), List.of(), true);
  }

  List<SomeOver> over(List<WantedOver> all) throws Exception {
    return read(
        (connection, rows) -> {
          long now = dialect.now(connection);
          List<SomeOver> answers = new ArrayList<>();
          for (WantedOver asked : all) {
            answers.add(over(rows, asked, now));
          }
          return answers;
        });
  }

  private static SomeOver over(Rows rows, WantedOver asked, long now) throws SQLException {
    Optional<QueueRow> found = rows.queues().find(asked.queue);
    if (found.isEmpty()) {
      return SomeOver.NO_QUEUE;
    }
    QueueRow row = found.get();
    boolean isAll = asked.after == 0 || asked.after > row.change;
    List<OverTurn> turns =
        isAll
            ? rows.over().some(row, now, OVER_PART)
            : rows.over().since(row, asked.after, now, OVER_PART);
    if (turns.size() < OVER_PART) {
      return new SomeOver(new Told.UpTo(row.born(), row.change), turns, true);
    }
    if (isAll) {
      return new SomeOver(new Told.UpTo(row.born(), 0), List.of(), false);
    }
    // What ended with the last of these changes may go on beyond them.
    long last = turns.getLast().change();
    List<OverTurn> whole = turns.stream().filter(turn -> turn.change() < last).toList();
    return new SomeOver(new Told.UpTo(row.born(), last - 1), whole, false);
  }

  /** The latest turns that are over are asked for. */
  record WantedLatest(QueueId queue, int most) {}

  List<SomeOver> latestOver(List<WantedLatest> all) throws Exception {
    return read(
        (connection, rows) -> {
          long now = dialect.now(connection);
          List<SomeOver> answers = new ArrayList<>();
          for (WantedLatest asked : all) {
            answers.add(latestOver(rows, asked, now));
          }
          return answers;
        });
  }

  private static SomeOver latestOver(Rows rows, WantedLatest asked, long now) throws SQLException {
    Optional<QueueRow> found = rows.queues().find(asked.queue);
    if (found.isEmpty()) {
      return new SomeOver(new Told.NoQueue(), List.of(), true);
    }
    QueueRow row = found.get();
    long after = rows.over().before(row, asked.most);
    List<OverTurn> turns = rows.over().since(row, after, now, asked.most);
    return after == 0
        ? new SomeOver(new Told.UpTo(row.born(), row.change), turns, true)
        : new SomeOver(new Told.Latest(row.born(), after, row.change), turns, false);
  }

  /** All of them, however many, which takes its time. */
  Told allOver(QueueId queue, Consumer<OverTurn> each) throws Exception {
    return readLong(
        (connection, rows) -> {
          Optional<QueueRow> found = rows.queues().find(queue);
          if (found.isEmpty()) {
            return new Told.NoQueue();
          }
          QueueRow row = found.get();
          rows.over().all(row, dialect.now(connection), COPY_PART, each);
          return new Told.UpTo(row.born(), row.change);
        });
  }

  // For the copy.

  @Override
  public Optional<Source.Reached> reached(Original of) throws Exception {
    return read((_, rows) -> current(rows, of).map(Reader::reached));
  }

  private static Source.Reached reached(QueueRow row) {
    return new Source.Reached(row.change, row.waiting, row.bands.counts(), row.inside, row.rules());
  }

  private Optional<QueueRow> current(Rows rows, Original of) throws SQLException {
    return rows.queues().find(of.queue()).filter(row -> originalOf(row).equals(of));
  }

  private QueueRow present(Rows rows, Original of) throws SQLException {
    return current(rows, of).orElseThrow(() -> new IllegalStateException(of.queue() + " is gone"));
  }

  @Override
  public Optional<Source.Extent> part(Original of, boolean isInside, long after, int limit)
      throws Exception {
    return read(
        (_, rows) -> {
          Optional<QueueRow> row = current(rows, of);
          return row.isEmpty()
              ? Optional.<Source.Extent>empty()
              : Optional.of(rows.copied().part(row.get(), isInside, after, limit));
        });
  }

  /** The queues that anybody is in. */
  List<Original> busy() throws Exception {
    List<Original> busy = new ArrayList<>();
    pages(
        (_, rows, after) -> rows.lists().busyHeads(ledger, after, PAGE),
        head -> head.of().queue(),
        head -> busy.add(head.of()));
    return busy;
  }

  @Override
  public Optional<Change> since(Original of, long change, int maxFacts) throws Exception {
    return read(
        (_, rows) -> {
          Optional<QueueRow> found = current(rows, of);
          if (found.isEmpty() || change < found.get().keptFrom) {
            return Optional.<Change>empty();
          }
          QueueRow row = found.get();
          List<Fact> facts = rows.copied().touchedSince(row.id, change, maxFacts + 1);
          return facts.size() > maxFacts
              ? Optional.empty()
              : Optional.of(
                  new Change(
                      change,
                      row.change,
                      facts,
                      row.waiting,
                      row.bands.counts(),
                      row.inside,
                      row.rules()));
        });
  }

  @Override
  public Source.Reached everybody(Original of, Source.Taker taker) throws Exception {
    return readLong(
        (_, rows) -> {
          QueueRow row = present(rows, of);
          rows.copied().inside(row, COPY_PART, taker);
          rows.copied().waiting(row, COPY_PART, taker);
          return reached(row);
        });
  }

  @Override
  public Source.Reached touched(Original of, long change, Source.Taker taker) throws Exception {
    return readLong(
        (_, rows) -> {
          QueueRow row = present(rows, of);
          if (change < row.keptFrom) {
            throw new IllegalStateException("what happened since " + change + " is not known");
          }
          rows.copied().touchedSince(row.id, change, COPY_PART, taker);
          return reached(row);
        });
  }
}
