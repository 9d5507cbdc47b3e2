package io.naru.ledger;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.naru.ledger.Dialect.Haste;
import io.naru.ledger.Dialect.Use;
import io.naru.memory.MemoryCopy;
import io.naru.queue.Edit;
import io.naru.queue.Joined;
import io.naru.queue.QueueId;
import io.naru.testkit.MariaDbServer;
import io.naru.testkit.Program;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the writer counts on in a MariaDB: its locks, its clock, its time-outs. */
@Tag("process")
class MariaDbTest {

  @RegisterExtension private static final Program mariaDb = MariaDbServer.program();

  private static final QueueId FIRST = new QueueId("LOCK", "a");
  private static final QueueId SECOND = new QueueId("LOCK", "b");

  private final MariaDb dialect = new MariaDb();
  private LedgerFixture server;
  private Ledger.Config config;

  @BeforeEach
  void start() throws Exception {
    config = LedgerFixture.mariaDb();
    server = new LedgerFixture(config, new MemoryCopy());
    for (QueueId queue : new QueueId[] {FIRST, SECOND}) {
      get(server.ledger().queues().edit(queue, Edit.activate(Map.of())));
    }
  }

  @AfterEach
  void stop() {
    server.close();
  }

  /** A connection as the writer of another server has it, in a transaction. */
  private Connection writer() throws SQLException {
    var properties = dialect.properties(Use.WRITE);
    properties.setProperty("user", config.user());
    properties.setProperty("password", config.password());
    Connection connection = DriverManager.getConnection(config.url(), properties);
    connection.setAutoCommit(false);
    return connection;
  }

  private QueueRow lock(Connection connection, QueueId queue) throws SQLException {
    return new Rows(connection, dialect).queues().lock(queue).orElseThrow();
  }

  private static <T> CompletableFuture<T> meanwhile(Callable<T> task) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return task.call();
          } catch (Exception e) {
            throw new CompletionException(e);
          }
        });
  }

  private static void awaitWait(Connection beside) {
    await()
        .until(
            () ->
                Dialect.value(
                        beside,
                        "SELECT count(*) FROM information_schema.innodb_trx"
                            + " WHERE trx_state = 'LOCK WAIT'")
                    .equals("1"));
  }

  private static <T> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(10, SECONDS);
  }

  @Test
  void open_tablesThatKnewOnlyActs_sayOnceWhatTheTimesMakeOfThem() throws SQLException {
    Ledger.Config config = LedgerFixture.mariaDb();
    UpgradeTest.makeTables(config, 25);
    UpgradeTest.assertToldOnce(config);
  }

  @Test
  void open_tablesBeforeTickets_numberThoseWhoWaitByLane() throws SQLException {
    Ledger.Config config = LedgerFixture.mariaDb();
    UpgradeTest.makeTables(config, 16);
    UpgradeTest.assertNumberedByLane(config);
  }

  @Test
  void change_withAWarning_costsNoFurtherTrip() throws Exception {
    try (Connection one = writer()) {
      QueueRow queue = lock(one, FIRST);
      String before = askedForWarnings(one);

      new Rows(one, dialect)
          .change(
              Sql.of(
                  "INSERT IGNORE INTO waiting_queues (id, event_type, event_id) VALUES (?, ?, ?)"),
              queue.id,
              "LOCK",
              "a");

      assertThat(askedForWarnings(one)).isEqualTo(before);
    }
  }

  private static String askedForWarnings(Connection connection) throws SQLException {
    return Dialect.value(
        connection,
        "SELECT variable_value FROM information_schema.session_status"
            + " WHERE variable_name = 'Com_show_warnings'");
  }

  @Test
  void lock_afterAWait_seesTheTimeAndWhatWasCommittedMeanwhile() throws Exception {
    try (Connection one = writer();
        Connection two = writer();
        Connection beside = server.connect()) {
      QueueRow first = lock(one, FIRST);
      // It has looked at the database before.
      assertThat(new Rows(two, dialect).marks().isMarked("one", 7)).isFalse();
      CompletableFuture<QueueRow> second = meanwhile(() -> lock(two, FIRST));
      awaitWait(beside);
      first.change = 77;
      new Rows(one, dialect).queues().update(first);
      new Rows(one, dialect).marks().mark("one", 7, 0);
      long before = dialect.now(one);
      one.commit();

      assertThat(get(second).change).isEqualTo(77);
      assertThat(get(second).lockedAt).isGreaterThanOrEqualTo(before);
      assertThat(new Rows(two, dialect).marks().isMarked("one", 7)).isTrue();
    }
  }

  @Test
  void lock_ofAServerThatDoesNotGoOn_isGivenUp() throws Exception {
    try (Connection frozen = writer();
        Connection other = writer()) {
      lock(frozen, FIRST);

      lock(other, FIRST);

      assertThatThrownBy(() -> lock(frozen, SECOND))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(dialect.isConnectionLost(e)).isTrue());
    }
  }

  /** Its driver wraps what fails among many rows, and forgets its state and number. */
  @Test
  void updateAll_connectionGone_isLost() throws Exception {
    try (Connection one = writer();
        Connection other = server.connect()) {
      lock(one, FIRST);
      String session = Dialect.value(one, "SELECT connection_id()");
      try (Statement kill = other.createStatement()) {
        kill.execute("KILL " + session);
      }

      assertThatThrownBy(() -> markAll(one))
          .isInstanceOfSatisfying(
              SQLException.class,
              e -> {
                assertThat(dialect.isConnectionLost(e)).isTrue();
                assertThat(new Failures(dialect).isOfAll(e)).isTrue();
              });
    }
  }

  /** Another one holds a row of those. */
  @Test
  void updateAll_rowIsLocked_isATimeoutAndNothingElse() throws Exception {
    try (Connection one = writer();
        Connection two = writer()) {
      markAll(one);
      try (Haste _ = dialect.hurry(two)) {
        assertThatThrownBy(() -> markAll(two))
            .isInstanceOfSatisfying(
                SQLException.class,
                e -> {
                  assertThat(dialect.isTimeout(e)).isTrue();
                  assertThat(dialect.isConnectionLost(e)).isFalse();
                });
      }
    }
  }

  private void markAll(Connection connection) throws SQLException {
    new Rows(connection, dialect)
        .updateAll(
            Sql.of("UPDATE waiting_queues SET change_no = change_no + 1 WHERE event_id = ?"),
            List.of("a", "b"),
            (statement, id) -> statement.setString(1, id));
  }

  @Test
  void hurry_lockOfAnother_isTimeOutOfThisQueueAlone() throws Exception {
    try (Connection one = writer();
        Connection two = writer()) {
      lock(one, FIRST);
      try (Haste _ = dialect.hurry(two)) {
        assertThatThrownBy(() -> lock(two, FIRST))
            .isInstanceOfSatisfying(
                SQLException.class,
                e -> {
                  assertThat(dialect.isTimeout(e)).isTrue();
                  assertThat(dialect.isOfAll(e)).isFalse();
                  assertThat(dialect.isConnectionLost(e)).isFalse();
                });
      }
      assertThat(Dialect.value(two, "SELECT @@max_statement_time")).startsWith("2.");
    }
  }

  /** Whoever has written less gives way: that is our writer, and nobody hears of it. */
  @Test
  void deadlock_isTriedOnceMore() throws Exception {
    try (Connection other = server.connect();
        Connection beside = server.connect()) {
      long id = new Rows(other, dialect).queues().find(FIRST).orElseThrow().id;
      other.setAutoCommit(false);
      insert(other, id, 1, "ann");
      for (int i = 2; i < 10; i++) {
        insert(other, id, i, "user" + i);
      }
      CompletionStage<Joined> joined = server.ledger().queues().join(FIRST, "ann");
      awaitWait(beside);

      lock(other, FIRST);
      other.rollback();

      assertThat(get(joined)).isInstanceOf(Joined.Waiting.class);
    }
  }

  private static void insert(Connection connection, long queue, long joined, String user)
      throws SQLException {
    try (var insert =
        connection.prepareStatement(
            "INSERT INTO queue_entries (queue_id, joined_at, score, user_id, status, entered_at,"
                + " expires_at, ended_at, live, change_no)"
                + " VALUES (?, ?, ?, ?, 'WAITING', 0, 0, 0, 1, 1)")) {
      insert.setLong(1, queue);
      insert.setLong(2, joined);
      insert.setLong(3, joined);
      insert.setString(4, user);
      insert.executeUpdate();
    }
  }

  /** No gap is locked that others want to write into. */
  @Test
  void delete_ofOneQueue_keepsNobodyOutOfTheNext() throws Exception {
    get(server.ledger().queues().join(FIRST, "ann"));
    try (Connection one = writer();
        Connection two = writer()) {
      QueueRow first = lock(one, FIRST);
      new Rows(one, dialect).ended().deleteAll(first.id, 0, Long.MAX_VALUE);
      try (Haste _ = dialect.hurry(two)) {
        assertThatCode(() -> insert(two, first.id + 1, 1, "bob")).doesNotThrowAnyException();
      }
    }
  }

  @Test
  void join_namesThatDifferByCase_areOthers() throws Exception {
    var queues = server.ledger().queues();

    assertThat(get(queues.join(FIRST, "ann"))).isInstanceOf(Joined.Waiting.class);
    assertThat(get(queues.join(FIRST, "Ann"))).isInstanceOf(Joined.Waiting.class);
    assertThat(get(queues.join(FIRST, "ann"))).isInstanceOf(Joined.AlreadyIn.class);
    assertThat(get(queues.find(new QueueId("LOCK", "A")))).isEmpty();
  }
}
