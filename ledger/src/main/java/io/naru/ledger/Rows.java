package io.naru.ledger;

import io.naru.admission.Allowance;
import io.naru.line.Fact;
import io.naru.line.Original;
import io.naru.line.OverTurn;
import io.naru.line.Score;
import io.naru.queue.Entry;
import io.naru.queue.Entry.Status;
import io.naru.queue.EntryKey;
import io.naru.queue.Figures;
import io.naru.queue.Overview;
import io.naru.queue.QueueId;
import io.naru.queue.Settings;
import io.naru.queue.Summary;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All SQL on queues and entries, the same for every database. What differs between them is in
 * {@link Dialect}.
 */
final class Rows {

  /** How many parameters a list in a statement has at most; longer ones are asked in parts. */
  private static final int MAX_LIST = 512;

  /** How many numbers come at a time where there may be millions. */
  private static final int MANY = 20_000;

  private static final Map<String, Object> DEFAULTS = Settings.DEFAULT.asMap();

  /** Settings by column, in the order of {@link Settings#asMap()}: maxCapacity is max_capacity. */
  private static final Map<String, String> SETTINGS = settingColumns();

  private static final List<String> FIGURES =
      List.of(
          "is_active",
          "version",
          "created_at",
          "activated_at",
          "deactivated_at",
          "change_no",
          "last_score",
          "front_score",
          "waiting",
          "inside",
          "tokens",
          "refilled_at",
          "last_entered_at",
          "joined_total",
          "entered_total",
          "completed_total",
          "left_total",
          "expired_total",
          "kept_from",
          "changed_minute");

  private static final String QUEUE_COLUMNS =
      String.join(", ", SETTINGS.values()) + ", " + String.join(", ", FIGURES);

  private static final String SELECT_QUEUE =
      "SELECT id, event_type, event_id, "
          + QUEUE_COLUMNS
          + " FROM waiting_queues WHERE event_type = ? AND event_id = ?";

  /** Behind this, a queue's name and how many; so that any number of queues is read in pages. */
  private static final String PAGE =
      " AND (event_type, event_id) > (?, ?) ORDER BY event_type, event_id LIMIT ?";

  /**
   * What may have something to do for an admission: room and allowance for those who wait, somebody
   * inside whose time is up, or a clock that went back. Only busy queues are looked at.
   */
  static final String DUE =
      """
      SELECT event_type, event_id FROM waiting_queues q
      WHERE is_busy
        AND (is_active AND waiting > 0 AND inside < max_capacity
            AND (tokens > 0 OR refilled_at > ?
              OR refilled_at + CAST(entry_interval_seconds AS bigint) * 1000000 <= ?)
          OR inside > 0
            AND (last_entered_at > ? OR EXISTS
              (SELECT 1 FROM queue_entries e
                WHERE e.queue_id = q.id AND e.status = 'ENTERED' AND e.expires_at <= ?)))
      """
          + PAGE;

  private static final String HEADS =
      "SELECT id, event_type, event_id, change_no, waiting, inside FROM waiting_queues"
          + " WHERE version > 0";

  static final String ALL_HEADS = HEADS + PAGE;

  static final String BUSY_HEADS = HEADS + " AND is_busy" + PAGE;

  /** As the index says it: by the minute, not from a minute on. */
  static final String CHANGED_HEADS = HEADS + " AND changed_minute = ? AND NOT is_busy" + PAGE;

  /**
   * Some queues, each with the score of the first in line. The sign makes a number of the column,
   * with which SQLite looks into an index on an expression.
   */
  private static final String OVERVIEWS =
      "SELECT page.*, CASE WHEN page.waiting > 0 THEN (SELECT e.score FROM queue_entries e"
          + " WHERE e.queue_id - 0 = +page.id AND e.status = 'WAITING'"
          + " AND e.score >= page.front_score ORDER BY e.score LIMIT 1) END AS first_score"
          + " FROM (SELECT id, event_type, event_id, "
          + QUEUE_COLUMNS
          + " FROM waiting_queues WHERE version > 0";

  static final String LIST = OVERVIEWS + PAGE + ") page ORDER BY event_type, event_id";

  private static final String BUSIEST_FIRST =
      " ORDER BY waiting + inside DESC, event_type, event_id";

  private static final String BUSIEST =
      OVERVIEWS + BUSIEST_FIRST + " LIMIT ?) page" + BUSIEST_FIRST;

  private static final String SUM =
      """
      SELECT count(*), sum(change_no), sum(waiting), sum(inside), sum(joined_total),
        sum(entered_total), sum(completed_total), sum(left_total), sum(expired_total)
      FROM waiting_queues WHERE version > 0
      """;

  private static final String INSERT_QUEUE =
      "INSERT INTO waiting_queues (event_type, event_id, "
          + QUEUE_COLUMNS
          + ") VALUES (?, ?"
          + ", ?".repeat(SETTINGS.size() + FIGURES.size())
          + ") ON CONFLICT DO NOTHING";

  private static final String UPDATE_QUEUE =
      "UPDATE waiting_queues SET "
          + Stream.concat(SETTINGS.values().stream(), FIGURES.stream())
              .map(column -> column + " = ?")
              .collect(Collectors.joining(", "))
          + " WHERE id = ?";

  private static final String ENTRY_COLUMNS =
      "user_id, score, status, entered_at, expires_at, ended_at, redeemed_by";

  private static final String SELECT_ENTRIES =
      "SELECT " + ENTRY_COLUMNS + " FROM queue_entries WHERE ";

  static final String OF_QUEUE = SELECT_ENTRIES + "queue_id = ? ";

  /** The sign changes no number, and keeps the database from looking for users along the line. */
  static final String OF_USERS = SELECT_ENTRIES + "+queue_id = ? ";

  /** As the index says it. */
  static final String OF_CHANGES = SELECT_ENTRIES + "queue_id + 0 = ? ";

  private static final String IS_WAITING = "queue_id - 0 = ? AND status = 'WAITING' ";

  /** As the index says it. */
  static final String OF_WAITING = SELECT_ENTRIES + IS_WAITING;

  static final String WAITING_SCORES =
      "SELECT score FROM queue_entries WHERE " + IS_WAITING + "AND score >= ? ORDER BY score";

  static final String WAITING_BETWEEN =
      "SELECT count(*) FROM queue_entries WHERE " + IS_WAITING + "AND score >= ? AND score < ?";

  private static final String SELECT_OVER =
      "SELECT user_id, score, entered_at, expires_at, change_no FROM queue_entries WHERE ";

  /** Turns that were over before their pass was; for those that count, the pass is not over yet. */
  private static final String OVER =
      "AND live IS NULL AND expires_at > ended_at AND expires_at > ? ";

  static final String OVER_SINCE =
      SELECT_OVER + "queue_id + 0 = ? " + OVER + "AND change_no > ? ORDER BY change_no LIMIT ?";

  /** As the index says it, in the order that the index has; and by changes, in another. */
  static final String OVER_SOME =
      SELECT_OVER + "queue_id - 0 = ? " + OVER + "ORDER BY expires_at LIMIT ?";

  private static final String OVER_ALL =
      SELECT_OVER + "queue_id - 0 = ? " + OVER + "ORDER BY change_no";

  private static final String INSERT_ENTRY =
      """
      INSERT INTO queue_entries
        (queue_id, score, user_id, status, joined_at, entered_at, expires_at, ended_at, live, change_no)
      VALUES (?, ?, ?, 'WAITING', ?, 0, 0, 0, 1, ?)
      """;

  static final String UPDATE_ENTRY =
      """
      UPDATE queue_entries
      SET status = ?, entered_at = ?, expires_at = ?, ended_at = ?, live = ?, change_no = ?,
        redeemed_by = ?
      WHERE queue_id = ? AND score = ?
      """;

  private static final String IS_ENDED = "AND score < ? AND live IS NULL AND ended_at < ? ";

  /**
   * A score is a time: who came after {@code before} has not ended before it. The first one of each
   * queue, and no {@code EXISTS}, which the database would turn into a look at all entries.
   */
  static final String WITH_ENDED =
      "SELECT id, event_type, event_id FROM waiting_queues q WHERE id > ? AND"
          + " (SELECT score FROM queue_entries WHERE queue_id = q.id "
          + IS_ENDED
          + "ORDER BY score LIMIT 1) IS NOT NULL ORDER BY id LIMIT ?";

  static final String ENDED = stretch(IS_ENDED);

  static final String ALL = stretch("");

  private static final String DELETE_STRETCH =
      "DELETE FROM queue_entries WHERE queue_id = ? AND score > ? AND score <= ? ";

  static final String DELETE_ENDED = DELETE_STRETCH + "AND live IS NULL AND ended_at < ?";

  static final String DELETE_ALL = DELETE_STRETCH;

  private static final String MARK =
      """
      INSERT INTO writers (server, batch, seen_at) VALUES (?, ?, ?)
      ON CONFLICT (server) DO UPDATE SET batch = excluded.batch, seen_at = excluded.seen_at
      """;

  private final Connection connection;

  Rows(Connection connection) {
    this.connection = connection;
  }

  private static String stretch(String condition) {
    return "SELECT count(*), max(score), max(change_no) FROM"
        + " (SELECT score, change_no FROM queue_entries WHERE queue_id = ? AND score > ? "
        + condition
        + "ORDER BY score LIMIT ?) stretch";
  }

  private static Map<String, String> settingColumns() {
    Map<String, String> columns = new LinkedHashMap<>();
    for (String name : DEFAULTS.keySet()) {
      columns.put(name, name.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT));
    }
    return columns;
  }

  // Queues.

  Optional<QueueRow> queue(QueueId queue) throws SQLException {
    return queueBy(SELECT_QUEUE, queue, false);
  }

  /** Reads a queue and keeps everybody else from changing it until the transaction ends. */
  Optional<QueueRow> lock(QueueId queue, Dialect dialect) throws SQLException {
    String locking = dialect.locking(SELECT_QUEUE);
    return queueBy(locking, queue, !locking.equals(SELECT_QUEUE));
  }

  private Optional<QueueRow> queueBy(String sql, QueueId queue, boolean hasTime)
      throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(sql)) {
      select.setString(1, queue.type());
      select.setString(2, queue.id());
      try (ResultSet result = select.executeQuery()) {
        if (!result.next()) {
          return Optional.empty();
        }
        QueueRow row = queueRow(result);
        row.lockedAt = hasTime ? result.getLong("now") : 0;
        return Optional.of(row);
      }
    }
  }

  private static QueueRow queueRow(ResultSet result) throws SQLException {
    var queue = new QueueId(result.getString("event_type"), result.getString("event_id"));
    var row = new QueueRow(result.getLong("id"), queue);
    Map<String, String> stored = new LinkedHashMap<>();
    for (var setting : SETTINGS.entrySet()) {
      String name = setting.getKey();
      // Every database has its own text for yes and no.
      stored.put(
          name,
          DEFAULTS.get(name) instanceof Boolean
              ? Boolean.toString(result.getBoolean(setting.getValue()))
              : result.getString(setting.getValue()));
    }
    row.settings = Settings.DEFAULT.withStored(stored);
    row.active = result.getBoolean("is_active");
    row.version = result.getLong("version");
    row.createdAt = result.getLong("created_at");
    row.activatedAt = result.getLong("activated_at");
    row.deactivatedAt = result.getLong("deactivated_at");
    row.change = result.getLong("change_no");
    row.lastScore = result.getLong("last_score");
    row.frontScore = result.getLong("front_score");
    row.waiting = result.getLong("waiting");
    row.inside = result.getLong("inside");
    row.allowance = new Allowance(result.getInt("tokens"), result.getLong("refilled_at"));
    row.lastEnteredAt = result.getLong("last_entered_at");
    row.joined = result.getLong("joined_total");
    row.entered = result.getLong("entered_total");
    row.completed = result.getLong("completed_total");
    row.left = result.getLong("left_total");
    row.expired = result.getLong("expired_total");
    row.keptFrom = result.getLong("kept_from");
    row.changedMinute = result.getLong("changed_minute");
    return row;
  }

  /** Makes an empty row for a queue; another server may just have done so, which is as good. */
  void insertQueue(QueueId queue) throws SQLException {
    try (PreparedStatement insert = connection.prepareStatement(INSERT_QUEUE)) {
      insert.setString(1, queue.type());
      insert.setString(2, queue.id());
      set(insert, 3, new QueueRow(0, queue));
      insert.executeUpdate();
    }
  }

  void updateQueue(QueueRow row) throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(UPDATE_QUEUE)) {
      int last = set(update, 1, row);
      update.setLong(last, row.id);
      update.executeUpdate();
    }
  }

  private static int set(PreparedStatement statement, int first, QueueRow row) throws SQLException {
    int i = first;
    for (Object value : row.settings.asMap().values()) {
      statement.setObject(i++, value);
    }
    statement.setBoolean(i++, row.active);
    long[] figures = {
      row.version,
      row.createdAt,
      row.activatedAt,
      row.deactivatedAt,
      row.change,
      row.lastScore,
      row.frontScore,
      row.waiting,
      row.inside,
      row.allowance.tokens(),
      row.allowance.refilledAt(),
      row.lastEnteredAt,
      row.joined,
      row.entered,
      row.completed,
      row.left,
      row.expired,
      row.keptFrom,
      row.changedMinute
    };
    for (long figure : figures) {
      statement.setLong(i++, figure);
    }
    return i;
  }

  /** A queue in a few words. */
  record Head(Original of, long id, long change, long waiting, long inside) {}

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

  private List<Head> heads(
      String sql, String ledger, @Nullable QueueId after, int limit, long... values)
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

  /** Some of the queues in which a step of admission may have something to do. */
  List<QueueId> due(long now, @Nullable QueueId after, int limit) throws SQLException {
    return page(
        DUE,
        after,
        limit,
        result -> new QueueId(result.getString(1), result.getString(2)),
        now,
        now,
        now,
        now);
  }

  /** Some queues with their figures. */
  List<Overview> overviews(long now, @Nullable QueueId after, int limit) throws SQLException {
    return page(LIST, after, limit, result -> overview(result, now));
  }

  private static Overview overview(ResultSet result, long now) throws SQLException {
    QueueRow row = queueRow(result);
    long first = result.getLong("first_score");
    long longest = result.wasNull() ? 0 : Math.max(0, now - Score.micros(first));
    return new Overview(row.asQueue(), row.figures(longest));
  }

  Summary summary(long now, int busiest) throws SQLException {
    List<Overview> named = new ArrayList<>();
    try (PreparedStatement select = connection.prepareStatement(BUSIEST)) {
      select.setInt(1, busiest);
      try (ResultSet result = select.executeQuery()) {
        while (result.next()) {
          named.add(overview(result, now));
        }
      }
    }
    long longest = named.stream().mapToLong(o -> o.figures().longestWaitMicros()).max().orElse(0);
    try (PreparedStatement select = connection.prepareStatement(SUM);
        ResultSet result = select.executeQuery()) {
      result.next();
      var all =
          new Figures(
              result.getLong(2),
              result.getLong(3),
              result.getLong(4),
              longest,
              result.getLong(5),
              result.getLong(6),
              result.getLong(7),
              result.getLong(8),
              result.getLong(9));
      return new Summary(result.getLong(1), all, named);
    }
  }

  /** Makes something of one row. */
  private interface Made<T> {
    T of(ResultSet result) throws SQLException;
  }

  /** Runs a statement that ends with {@link #PAGE}. */
  private <T> List<T> page(
      String sql, @Nullable QueueId after, int limit, Made<T> made, long... values)
      throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(sql)) {
      int i = 1;
      for (long value : values) {
        select.setLong(i++, value);
      }
      select.setString(i++, after == null ? "" : after.type());
      select.setString(i++, after == null ? "" : after.id());
      select.setInt(i, limit);
      List<T> some = new ArrayList<>();
      try (ResultSet result = select.executeQuery()) {
        while (result.next()) {
          some.add(made.of(result));
        }
      }
      return some;
    }
  }

  static Original original(QueueId queue, String ledger, long id) {
    return new Original(queue, ledger + "/" + id);
  }

  /** Forgets a queue at once; its entries are deleted later, bit by bit. */
  void deleteQueue(QueueRow row) throws SQLException {
    update("DELETE FROM waiting_queues WHERE id = ?", row.id);
    update("INSERT INTO deleted_queues (id) VALUES (?)", row.id);
  }

  // Entries.

  /** The live entries of these users, and those that ended after {@code since}, oldest first. */
  List<EntryRow> entriesOf(QueueRow queue, Collection<String> users, long since)
      throws SQLException {
    return entriesOf(queue, users, "(live = 1 OR ended_at > ?)", since);
  }

  /** The same, and all that these users completed. */
  List<EntryRow> entriesAndCompletedOf(QueueRow queue, Collection<String> users, long since)
      throws SQLException {
    return entriesOf(queue, users, "(live = 1 OR ended_at > ? OR status = 'COMPLETED')", since);
  }

  private List<EntryRow> entriesOf(
      QueueRow queue, Collection<String> users, String condition, long since) throws SQLException {
    List<EntryRow> found = new ArrayList<>();
    List<String> all = List.copyOf(users);
    for (int from = 0; from < all.size(); from += MAX_LIST) {
      List<String> some = all.subList(from, Math.min(all.size(), from + MAX_LIST));
      // A few lengths only, so that the database can keep its plans.
      int length = Math.max(1, Integer.highestOneBit(2 * some.size() - 1));
      String sql = OF_USERS + "AND user_id IN (?" + ", ?".repeat(length - 1) + ") AND " + condition;
      try (PreparedStatement select = connection.prepareStatement(sql)) {
        select.setLong(1, queue.id);
        for (int i = 0; i < length; i++) {
          select.setString(2 + i, some.get(Math.min(i, some.size() - 1)));
        }
        select.setLong(2 + length, since);
        read(select, found);
      }
    }
    found.sort(Comparator.comparingLong(row -> row.score));
    return found;
  }

  /** The first in line. */
  List<EntryRow> front(QueueRow queue, int limit) throws SQLException {
    return entries(
        OF_WAITING + "AND score >= ? ORDER BY score LIMIT ?", queue.id, queue.frontScore, limit);
  }

  List<EntryRow> overdue(QueueRow queue, long now, int limit) throws SQLException {
    return entries(
        OF_QUEUE + "AND status = 'ENTERED' AND expires_at <= ? ORDER BY expires_at LIMIT ?",
        queue.id,
        now,
        limit);
  }

  /** Those whose stay reaches further than {@code until}. */
  List<EntryRow> staying(QueueRow queue, long until, int limit) throws SQLException {
    return entries(
        OF_QUEUE + "AND status = 'ENTERED' AND expires_at > ? ORDER BY expires_at LIMIT ?",
        queue.id,
        until,
        limit);
  }

  private List<EntryRow> entries(String sql, long queue, long bound, int limit)
      throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(sql)) {
      select.setLong(1, queue);
      select.setLong(2, bound);
      select.setInt(3, limit);
      List<EntryRow> found = new ArrayList<>();
      read(select, found);
      return found;
    }
  }

  private static void read(PreparedStatement select, List<EntryRow> into) throws SQLException {
    try (ResultSet result = select.executeQuery()) {
      while (result.next()) {
        into.add(entryRow(result));
      }
    }
  }

  private static EntryRow entryRow(ResultSet result) throws SQLException {
    return new EntryRow(
        result.getString(1),
        result.getLong(2),
        Status.valueOf(result.getString(3)),
        result.getLong(4),
        result.getLong(5),
        result.getLong(6),
        result.getString(7));
  }

  void insertEntries(QueueRow queue, List<EntryRow> rows) throws SQLException {
    if (rows.isEmpty()) {
      return;
    }
    try (PreparedStatement insert = connection.prepareStatement(INSERT_ENTRY)) {
      for (EntryRow row : rows) {
        insert.setLong(1, queue.id);
        insert.setLong(2, row.score);
        insert.setString(3, row.user);
        insert.setLong(4, row.joined());
        insert.setLong(5, queue.change);
        insert.addBatch();
      }
      insert.executeBatch();
    }
  }

  void updateEntries(QueueRow queue, Collection<EntryRow> rows) throws SQLException {
    if (rows.isEmpty()) {
      return;
    }
    try (PreparedStatement update = connection.prepareStatement(UPDATE_ENTRY)) {
      for (EntryRow row : rows) {
        update.setString(1, row.status.name());
        update.setLong(2, row.entered);
        update.setLong(3, row.until);
        update.setLong(4, row.ended);
        if (row.isLive()) {
          update.setInt(5, 1);
        } else {
          update.setNull(5, Types.SMALLINT);
        }
        update.setLong(6, queue.change);
        update.setString(7, row.redeemedBy);
        update.setLong(8, queue.id);
        update.setLong(9, row.score);
        update.addBatch();
      }
      update.executeBatch();
    }
  }

  /** How many wait from one score (or the front) up to another. */
  long waitingBetween(long queue, long from, long to) throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(WAITING_BETWEEN)) {
      select.setLong(1, queue);
      select.setLong(2, from);
      select.setLong(3, to);
      try (ResultSet result = select.executeQuery()) {
        result.next();
        return result.getLong(1);
      }
    }
  }

  /** Reads the scores of all who wait, in order; says how many there are. */
  int scores(QueueRow queue, long[] into) throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(WAITING_SCORES)) {
      select.setFetchSize(MANY);
      select.setLong(1, queue.id);
      select.setLong(2, queue.frontScore);
      int count = 0;
      try (ResultSet result = select.executeQuery()) {
        while (result.next()) {
          into[count++] = result.getLong(1);
        }
      }
      return count;
    }
  }

  // What a copy needs.

  /** The entries that were touched after a change, by score, as they stand now. */
  List<Fact> touchedSince(long queue, long change, int limit) throws SQLException {
    String sql = OF_CHANGES + "AND change_no > ? ORDER BY change_no LIMIT ?";
    try (PreparedStatement select = connection.prepareStatement(sql)) {
      select.setLong(1, queue);
      select.setLong(2, change);
      select.setInt(3, limit);
      List<EntryRow> rows = new ArrayList<>();
      read(select, rows);
      return rows.stream()
          .sorted(Comparator.comparingLong(row -> row.score))
          .map(EntryRow::fact)
          .toList();
    }
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
    inParts(OF_CHANGES + "AND change_no > ? ORDER BY change_no, score", queue, change, size, taker);
  }

  /** Reads everybody who waits, in parts, without holding them all. */
  void waiting(QueueRow queue, int size, Taker taker) throws Exception {
    inParts(OF_WAITING + "AND score >= ? ORDER BY score", queue.id, queue.frontScore, size, taker);
  }

  /** Reads everybody who is inside, in parts, without holding them all. */
  void inside(QueueRow queue, int size, Taker taker) throws Exception {
    inParts(
        OF_QUEUE + "AND status = 'ENTERED' AND expires_at > ? ORDER BY expires_at",
        queue.id,
        Long.MIN_VALUE,
        size,
        taker);
  }

  private void inParts(String sql, long queue, long bound, int size, Taker taker) throws Exception {
    try (PreparedStatement select = connection.prepareStatement(sql)) {
      select.setFetchSize(size);
      select.setLong(1, queue);
      select.setLong(2, bound);
      List<Fact> part = new ArrayList<>(size);
      try (ResultSet result = select.executeQuery()) {
        while (result.next()) {
          part.add(entryRow(result).fact());
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

  // What a gate needs.

  /** Turns over since a change, the first of them. */
  List<OverTurn> overSince(QueueRow queue, long change, long now, int limit) throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(OVER_SINCE)) {
      select.setLong(1, queue.id);
      select.setLong(2, now);
      select.setLong(3, change);
      select.setInt(4, limit);
      return overTurns(select, queue);
    }
  }

  /** Turns over whose pass is not, by changes if they are all of them. */
  List<OverTurn> overSome(QueueRow queue, long now, int limit) throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(OVER_SOME)) {
      select.setLong(1, queue.id);
      select.setLong(2, now);
      select.setInt(3, limit);
      List<OverTurn> some = overTurns(select, queue);
      some.sort(Comparator.comparingLong(OverTurn::change));
      return some;
    }
  }

  /** All turns over whose pass is not, by changes, without holding them. */
  void overAll(QueueRow queue, long now, int size, Consumer<OverTurn> each) throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(OVER_ALL)) {
      select.setFetchSize(size);
      select.setLong(1, queue.id);
      select.setLong(2, now);
      try (ResultSet result = select.executeQuery()) {
        while (result.next()) {
          each.accept(overTurn(result, queue));
        }
      }
    }
  }

  private static List<OverTurn> overTurns(PreparedStatement select, QueueRow queue)
      throws SQLException {
    List<OverTurn> turns = new ArrayList<>();
    try (ResultSet result = select.executeQuery()) {
      while (result.next()) {
        turns.add(overTurn(result, queue));
      }
    }
    return turns;
  }

  private static OverTurn overTurn(ResultSet result, QueueRow queue) throws SQLException {
    var key = new EntryKey(queue.queue, result.getString(1), Score.micros(result.getLong(2)));
    return new OverTurn(
        new Entry(key, Status.ENTERED, result.getLong(3), result.getLong(4)), result.getLong(5));
  }

  // The writer's own mark.

  void mark(String server, long batch, long now) throws SQLException {
    try (PreparedStatement mark = connection.prepareStatement(MARK)) {
      mark.setString(1, server);
      mark.setLong(2, batch);
      mark.setLong(3, now);
      mark.executeUpdate();
    }
  }

  boolean isMarked(String server, long batch) throws SQLException {
    String sql = "SELECT 1 FROM writers WHERE server = ? AND batch = ?";
    try (PreparedStatement select = connection.prepareStatement(sql)) {
      select.setString(1, server);
      select.setLong(2, batch);
      try (ResultSet result = select.executeQuery()) {
        return result.next();
      }
    }
  }

  // What is shared, and what is deleted in time.

  /** The value that all servers share under this name: the first one's candidate. */
  String shared(String name, String candidate) throws SQLException {
    String insert = "INSERT INTO shared_values (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING";
    try (PreparedStatement statement = connection.prepareStatement(insert)) {
      statement.setString(1, name);
      statement.setString(2, candidate);
      statement.executeUpdate();
    }
    return Objects.requireNonNull(sharedValue(name), name);
  }

  private @Nullable String sharedValue(String name) throws SQLException {
    String sql = "SELECT value FROM shared_values WHERE name = ?";
    try (PreparedStatement select = connection.prepareStatement(sql)) {
      select.setString(1, name);
      try (ResultSet result = select.executeQuery()) {
        return result.next() ? result.getString(1) : null;
      }
    }
  }

  /** A queue, by the name under which it is locked and by the number that no other one gets. */
  record Numbered(QueueId queue, long id) {}

  /** Those queues with a higher number of which entries ended before {@code before}. */
  List<Numbered> withEnded(long from, long before, int limit) throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(WITH_ENDED)) {
      set(select, from, before, before, limit);
      List<Numbered> queues = new ArrayList<>();
      try (ResultSet result = select.executeQuery()) {
        while (result.next()) {
          var queue = new QueueId(result.getString(2), result.getString(3));
          queues.add(new Numbered(queue, result.getLong(1)));
        }
      }
      return queues;
    }
  }

  /**
   * Some entries that stand one after the other.
   *
   * @param last the score of the last of them
   * @param highestChange that touched one of them
   */
  record Stretch(int count, long last, long highestChange) {

    static final Stretch NONE = new Stretch(0, 0, 0);
  }

  /** The first entries behind a score that ended before {@code before}; nothing changes them. */
  Stretch ended(long queue, long from, long before, int limit) throws SQLException {
    return stretch(ENDED, queue, from, before, before, limit);
  }

  /** The first entries behind a score, ended or not. */
  Stretch all(long queue, long from, int limit) throws SQLException {
    return stretch(ALL, queue, from, limit);
  }

  private Stretch stretch(String sql, long... values) throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(sql)) {
      set(select, values);
      try (ResultSet result = select.executeQuery()) {
        result.next();
        return new Stretch(result.getInt(1), result.getLong(2), result.getLong(3));
      }
    }
  }

  /** Deletes what {@link #ended} found. */
  int deleteEnded(long queue, long from, long last, long before) throws SQLException {
    return update(DELETE_ENDED, queue, from, last, before);
  }

  /** Deletes what {@link #all} found. */
  int deleteAll(long queue, long from, long last) throws SQLException {
    return update(DELETE_ALL, queue, from, last);
  }

  /** The number of a queue that was deleted and may have left entries behind. */
  OptionalLong firstDeleted() throws SQLException {
    String sql = "SELECT id FROM deleted_queues ORDER BY id LIMIT 1";
    try (PreparedStatement select = connection.prepareStatement(sql);
        ResultSet result = select.executeQuery()) {
      return result.next() ? OptionalLong.of(result.getLong(1)) : OptionalLong.empty();
    }
  }

  /** Nothing is left of a queue that was deleted. */
  int forgetDeleted(long id) throws SQLException {
    return update("DELETE FROM deleted_queues WHERE id = ?", id);
  }

  /** Forgets servers that have not written for long. */
  void forgetWriters(long before) throws SQLException {
    update("DELETE FROM writers WHERE seen_at < ?", before);
  }

  private int update(String sql, long... values) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      set(statement, values);
      return statement.executeUpdate();
    }
  }

  private static void set(PreparedStatement statement, long... values) throws SQLException {
    for (int i = 0; i < values.length; i++) {
      statement.setLong(i + 1, values[i]);
    }
  }
}
