package io.naru.ledger;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.history.Counts;
import io.naru.history.Minute;
import io.naru.journal.Addition;
import io.naru.journal.Bundle;
import io.naru.journal.HashTile;
import io.naru.journal.LogStore;
import io.naru.memory.MemoryCopy;
import io.naru.queue.Actor;
import io.naru.queue.DrawStep;
import io.naru.queue.Edit;
import io.naru.queue.Ended;
import io.naru.queue.EntryKey;
import io.naru.queue.Joined;
import io.naru.queue.Micros;
import io.naru.queue.Pushed;
import io.naru.queue.QueueId;
import io.naru.queue.Seal;
import io.naru.queue.Signal;
import io.naru.queue.Stock;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What nobody asks for any more is deleted, and a copy from before that is built anew. */
abstract class RetentionContract {

  private static final QueueId QUEUE = new QueueId("KEPT", "1");

  /** More than two steps. */
  private static final int MANY = 2_500;

  private static final Duration MONTH = Duration.ofDays(30);

  LedgerFixture server;

  abstract Ledger.Config database();

  @BeforeEach
  void start() throws Exception {
    server = new LedgerFixture(database(), new MemoryCopy());
    open();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private void open() throws Exception {
    get(queues().edit(QUEUE, Edit.activate(Map.of("maxCapacity", 1, "newPlacesPerMinute", 0))));
  }

  LedgerQueues queues() {
    return (LedgerQueues) server.ledger().queues();
  }

  private void runRetention() throws Exception {
    server.ledger().retention().run();
    assertThat(server.ledger().retention().troubles()).isEmpty();
  }

  private EntryKey join(String user) throws Exception {
    return ((Joined.Waiting) get(queues().join(QUEUE, user))).place().entry().key();
  }

  private List<EntryKey> joinMany(String prefix, int count) throws Exception {
    var joins = IntStream.range(0, count).mapToObj(i -> queues().join(QUEUE, prefix + i)).toList();
    List<EntryKey> keys = new ArrayList<>();
    for (CompletionStage<Joined> joined : joins) {
      keys.add(((Joined.Waiting) get(joined)).place().entry().key());
    }
    return keys;
  }

  private void joinAndLeave(String prefix, int count) throws Exception {
    List<CompletionStage<Ended>> left =
        joinMany(prefix, count).stream().map(queues()::leave).toList();
    for (CompletionStage<Ended> ended : left) {
      assertThat(get(ended)).isEqualTo(Ended.DONE);
    }
  }

  long count(String sql) throws SQLException {
    try (Connection connection = server.connect();
        var statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      result.next();
      return result.getLong(1);
    }
  }

  void execute(String sql) throws SQLException {
    try (Connection connection = server.connect();
        var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Test
  void run_somethingCannotBeDeleted_theRestIs_andItIsSaid() throws Exception {
    joinAndLeave("user", 5);
    server.advance(MONTH);
    execute("ALTER TABLE deleted_queues RENAME TO hidden_queues");

    server.ledger().retention().run();

    assertThat(entries()).isZero();
    assertThat(server.ledger().troubles())
        .singleElement()
        .asString()
        .startsWith("old queues that were deleted cannot be deleted, and pile up: ");

    execute("ALTER TABLE hidden_queues RENAME TO deleted_queues");
    runRetention();
    assertThat(server.ledger().troubles()).isEmpty();
  }

  private long entries() throws SQLException {
    return count("SELECT count(*) FROM queue_entries");
  }

  private void keepLeaves(QueueId queue, String list, int parts) throws Exception {
    for (int part = 0; part < parts; part++) {
      assertThat(get(server.ledger().draws().keepLeaves(queue, list, part, new byte[41]))).isTrue();
    }
  }

  @Test
  void run_leavesOfOtherListsAndOfDeletedQueues_areGone() throws Exception {
    QueueId gone = new QueueId("KEPT", "gone");
    var now = Micros.toInstant(join("ann").joined());
    get(
        queues()
            .leave(((Joined.AlreadyIn) get(queues().join(QUEUE, "ann"))).place().entry().key()));
    Map<String, Object> lobby =
        Map.of("lobbyOpensAt", now.toString(), "opensAt", now.plus(Duration.ofHours(1)).toString());
    get(queues().edit(QUEUE, Edit.activate(lobby)));
    get(queues().edit(gone, Edit.activate(Map.of())));
    join("ben");
    server.advance(Duration.ofHours(2));
    join("late");
    keepLeaves(QUEUE, "taken", 1);
    keepLeaves(QUEUE, "other", 2);
    keepLeaves(gone, "list", 40);
    String commitment = get(server.ledger().draws().draw(QUEUE)).orElseThrow().commitment();
    var seal = new Seal(commitment, "taken", "0".repeat(64), List.of(1L));
    assertThat(get(server.ledger().draws().seal(QUEUE, seal))).isInstanceOf(DrawStep.Taken.class);

    runRetention();
    assertThat(count("SELECT count(*) FROM draw_leaves")).isEqualTo(43);
    get(queues().delete(gone, Actor.SYSTEM));
    runRetention();
    assertThat(count("SELECT count(*) FROM draw_leaves")).as("of a queue that is").isEqualTo(3);
    server.advance(Duration.ofHours(25));
    runRetention();

    assertThat(count("SELECT count(*) FROM draw_leaves")).isEqualTo(1);
    assertThat(get(server.ledger().draws().leaves(QUEUE, "taken", 0))).isPresent();
  }

  @Test
  void run_manyEndedLongAgo_areAllGoneAndTheOthersStay() throws Exception {
    EntryKey live = join("live");
    joinAndLeave("old", MANY);
    EntryKey longAgo = join("long-ago");
    server.advance(MONTH.plusSeconds(1));
    get(queues().leave(longAgo));
    joinAndLeave("recent", 10);

    runRetention();

    assertThat(entries()).isEqualTo(12);
    assertThat(count("SELECT count(*) FROM queue_entries WHERE live = 1")).isEqualTo(1);
    assertThat(get(queues().find(QUEUE)).orElseThrow().figures().left()).isEqualTo(MANY + 11);
    assertThat(get(queues().leave(live))).isEqualTo(Ended.DONE);
  }

  @Test
  void run_meanwhile_thoseWhoEnterAreAnswered() throws Exception {
    joinAndLeave("old", MANY);
    server.advance(MONTH.plusSeconds(1));

    CompletableFuture<Void> run =
        CompletableFuture.runAsync(
            () -> {
              try {
                runRetention();
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            });
    int joined = 0;
    while (!run.isDone()) {
      join("new" + joined++);
    }
    run.get(10, SECONDS);

    assertThat(joined).isPositive();
    assertThat(entries()).isEqualTo(joined);
  }

  @Test
  void run_copyFromBefore_isLost() throws Exception {
    joinAndLeave("old", 1);
    long before = get(queues().find(QUEUE)).orElseThrow().figures().change();
    server.advance(MONTH.plusSeconds(1));

    runRetention();

    var of =
        QueueLists.original(QUEUE, server.ledger().id(), count("SELECT id FROM waiting_queues"));
    assertThat(queues().reader().since(of, before - 1, 100)).isEmpty();
    assertThat(queues().reader().since(of, before, 100)).isPresent();
  }

  private void signal() throws Exception {
    get(queues().signal(QUEUE, new Signal("shop", 100, 0, 10, 0)));
    server.advance(Duration.ofSeconds(2));
  }

  @Test
  void run_ratesOfLongAgo_areGoneAndTheOthersStay() throws Exception {
    get(queues().edit(QUEUE, Edit.activate(Map.of("adaptive", Map.of()))));
    signal();
    signal();
    server.advance(Duration.ofDays(7));
    signal();

    runRetention();

    assertThat(count("SELECT count(*) FROM queue_rates")).isEqualTo(1);
    get(queues().delete(QUEUE, Actor.SYSTEM));
    runRetention();
    assertThat(count("SELECT count(*) FROM queue_rates")).isZero();
  }

  @Test
  void run_minutesOfAQueueThatNobodyEnters_areGone() throws Exception {
    get(queues().edit(QUEUE, Edit.activate(Map.of("stock", Map.of()))));
    for (int version = 1; version <= 4; version++) {
      server.advance(version == 3 ? MONTH : Duration.ofMinutes(1));
      var stock = new Stock(version, List.of(new Stock.Pool("all", version, 0)));
      assertThat(get(queues().push(QUEUE, stock))).isInstanceOf(Pushed.Taken.class);
    }
    assertThat(count("SELECT count(*) FROM queue_minutes")).isEqualTo(4);

    runRetention();

    assertThat(count("SELECT count(*) FROM queue_minutes")).isEqualTo(1);
  }

  /**
   * One after the other, and one of an earlier time. None is old yet: a server deletes those by
   * itself when it starts.
   */
  void putMinutes(long queue, int count) throws SQLException {
    long now = Minute.of(Micros.now(InstantSource.system()));
    try (Connection connection = server.connect()) {
      connection.setAutoCommit(false);
      var minutes = rows(connection).minutes();
      minutes.put(queue, new Minute(now - 10_000, Counts.NONE));
      for (int i = 1; i < count; i++) {
        minutes.put(queue, new Minute(now - count + i, Counts.NONE));
      }
      connection.commit();
    }
  }

  private Rows rows(Connection connection) {
    return new Rows(connection, Dialect.of(database().url(), InstantSource.system()));
  }

  @Test
  void run_minutesThatPiledUp_areDeletedInSteps() throws Exception {
    long id = count("SELECT id FROM waiting_queues");
    putMinutes(id, MANY);
    try (Connection connection = server.connect()) {
      var minutes = rows(connection).minutes();
      minutes.forget(id, Long.MAX_VALUE);
      assertThat(minutes()).isEqualTo(MANY - 1);
      minutes.forget(id, Long.MAX_VALUE);
      assertThat(minutes()).isEqualTo(MANY - 1_001);
    }
    server.advance(MONTH.plusDays(365));

    runRetention();

    assertThat(minutes()).isZero();
  }

  long minutes() throws SQLException {
    return count("SELECT count(*) FROM queue_minutes");
  }

  @Test
  void run_deletedQueue_nothingIsLeftOfIt() throws Exception {
    joinMany("user", MANY);
    get(queues().delete(QUEUE, Actor.SYSTEM));
    open();
    join("ann");

    runRetention();

    assertThat(entries()).isEqualTo(1);
    assertThat(count("SELECT count(*) FROM deleted_queues")).isZero();
    assertThat(count("SELECT kept_from FROM waiting_queues")).isZero();
  }

  @Test
  void run_deletedQueueThatWasLogged_nothingIsLeftOfItsLog() throws Exception {
    get(queues().delete(QUEUE, Actor.SYSTEM));
    get(queues().edit(QUEUE, Edit.activate(Map.of("log", true, "newPlacesPerMinute", 0))));
    joinAndLeave("user", 5);
    LogStore logs = server.ledger().logs();
    var log = logs.behind(1).getFirst().log();
    List<HashTile> tiles = new ArrayList<>();
    List<Bundle> bundles = new ArrayList<>();
    for (int i = 0; i < 250; i++) {
      tiles.add(new HashTile(0, i, new byte[32]));
      bundles.add(new Bundle(i, 1, i, new byte[10]));
    }
    tiles.add(new HashTile(1, 0, new byte[32]));
    assertThat(logs.append(log, new Addition(9, 1, "o", "h", 0, tiles, bundles, "c", 1))).isTrue();
    runRetention();
    assertThat(count("SELECT count(*) FROM log_tiles")).as("of a live one").isEqualTo(251);

    get(queues().delete(QUEUE, Actor.SYSTEM));
    runRetention();

    for (String table : List.of("queue_journal", "queue_logs", "log_tiles", "log_entries")) {
      assertThat(count("SELECT count(*) FROM " + table)).as(table).isZero();
    }
    assertThat(logs.append(log, new Addition(9, 1, "o", "h", 0, tiles, bundles, "c", 1)))
        .as("nothing is appended to what is gone")
        .isFalse();
  }

  /** A change of the queue before would have every copy of the next one built anew, for ever. */
  @Test
  void sweep_queueMadeAnewMeanwhile_isLeftAlone() throws Exception {
    long before = count("SELECT id FROM waiting_queues");
    get(queues().delete(QUEUE, Actor.SYSTEM));
    open();

    try (Connection connection = server.connect()) {
      var ended = rows(connection).ended();
      assertThat(ended.keepFrom(before, 99)).isFalse();
    }
    assertThat(count("SELECT kept_from FROM waiting_queues")).isZero();
  }

  static <T> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(10, SECONDS);
  }
}
