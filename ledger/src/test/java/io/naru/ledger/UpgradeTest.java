package io.naru.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.naru.batch.BatchObserver;
import io.naru.journal.Unread;
import io.naru.line.Line;
import io.naru.line.Score;
import io.naru.line.Standing;
import io.naru.memory.MemoryCopy;
import io.naru.queue.Admission;
import io.naru.queue.Edit;
import io.naru.queue.Entry;
import io.naru.queue.Entry.Status;
import io.naru.queue.EntryKey;
import io.naru.queue.Joined;
import io.naru.queue.Micros;
import io.naru.queue.Overview;
import io.naru.queue.Place;
import io.naru.queue.QueueId;
import io.naru.queue.Settings;
import io.naru.queue.State;
import io.naru.support.SettableClock;
import io.naru.testkit.PostgresServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A ledger of an earlier version opens with everything in it: nobody's place or pass changes. */
@Tag("process")
class UpgradeTest {

  private static final QueueId QUEUE = new QueueId("OLD", "1");

  /** A time that no clock has reached. */
  private static final long UNTIL = 1L << 50;

  @TempDir private Path directory;

  private List<Ledger.Config> databases() {
    PostgresServer postgres = PostgresServer.shared();
    return List.of(
        new Ledger.Config("jdbc:sqlite:" + directory.resolve("ledger.db"), null, null, false),
        new Ledger.Config(postgres.fresh(), postgres.user(), postgres.password(), false));
  }

  /** The tables as a version had them. */
  static void makeTables(Ledger.Config config, int version) {
    Flyway.configure(UpgradeTest.class.getClassLoader())
        .dataSource(config.url(), config.user(), config.password())
        .locations(
            "classpath:io/naru/ledger/"
                + Dialect.of(config.url(), SettableClock.atOpening()).migrations())
        .table("naru_schema_history")
        .target(Integer.toString(version))
        .load()
        .migrate();
  }

  private static void execute(Ledger.Config config, String... statements) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection(config.url(), config.user(), config.password());
        var statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private static Ledger open(Ledger.Config config) {
    Ledger ledger = Ledger.open(config, SettableClock.atOpening());
    ledger.start(new MemoryCopy(), BatchObserver.NONE);
    return ledger;
  }

  private static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  private static Place place(Line line, String user) {
    return ((Standing.Found) get(line.locate(QUEUE, user))).place();
  }

  private static String queueOfTheFirstVersion(int waiting, int tokens, long refilledAt) {
    return """
        INSERT INTO waiting_queues (event_type, event_id, max_capacity, entry_batch_size,
          entry_interval_seconds, pass_ttl_seconds, max_waiting, new_places_per_minute, title, target_url,
          is_active, version, created_at, activated_at, deactivated_at, change_no, last_score, front_score,
          waiting, inside, tokens, refilled_at, last_entered_at, joined_total, entered_total,
          completed_total, left_total, expired_total, kept_from)
        VALUES ('OLD', '1', 7, 100, 3600, 300, 10000000, 3, '', '',
          true, 1, 5, 5, 0, 1, 4, 0, %d, 0, %d, %d, 0, 0, 0, 0, 0, 0, 0)
        """
        .formatted(waiting, tokens, refilledAt);
  }

  @Test
  void open_tablesOfTheFirstVersion_getWhatTheyLack() throws SQLException {
    for (Ledger.Config config : databases()) {
      makeTables(config, 1);
      execute(config, queueOfTheFirstVersion(0, 100, 5));

      try (Ledger ledger = open(config)) {
        Overview found = get(ledger.queues().find(QUEUE)).orElseThrow();
        assertThat(found.queue().settings())
            .isEqualTo(
                Settings.DEFAULT.with(Map.of("maxCapacity", 7, "entryIntervalSeconds", 3_600)));
        assertThat(get(ledger.queues().edit(QUEUE, Edit.activate(Map.of("once", true)))))
            .isNotNull();
      }
    }
  }

  /** Somebody waits: is there something to do, with so much left of the allowance? */
  @ParameterizedTest
  @CsvSource({"0, 1, false", "0, 3601, true", "4, 1, true"})
  void open_tablesOfTheFirstVersion_sayWhatIsDue(int tokens, int secondsAgo, boolean isDue)
      throws SQLException {
    for (Ledger.Config config : databases()) {
      makeTables(config, 1);
      long refilled = Micros.now(InstantSource.system()) - secondsAgo * Micros.PER_SECOND;
      execute(config, queueOfTheFirstVersion(1, tokens, refilled));

      try (Ledger ledger = Ledger.open(config, InstantSource.system())) {
        ledger.start(new MemoryCopy(), BatchObserver.NONE);
        assertThat(get(ledger.queues().due())).isEqualTo(isDue ? List.of(QUEUE) : List.of());
      }
    }
  }

  @Test
  void open_tablesOfTheVersionBefore_keepEveryPlaceAndPass() throws SQLException {
    for (Ledger.Config config : databases()) {
      makeTables(config, 8);
      execute(
          config,
          """
          INSERT INTO waiting_queues (event_type, event_id, max_capacity, entry_batch_size,
            entry_interval_seconds, pass_ttl_seconds, max_waiting, new_places_per_minute, title, target_url,
            color, logo_url, message, audience, on_expiry, once, completed_by,
            is_active, version, created_at, activated_at, deactivated_at, change_no, last_score, front_score,
            waiting, inside, tokens, refilled_at, last_entered_at, joined_total, entered_total,
            completed_total, left_total, expired_total, kept_from, changed_minute)
          VALUES ('OLD', '1', 50, 20, 5, 600, 1000, 9, 'Ti"tle 티켓', 'https://shop.example/%ED%8B%B0',
            '#aabbcc', '', 'mes''sage', 'shop', 'REQUEUE', true, 'SITE',
            true, 3, 1000, 1000, 0, 9, 5000, 3000,
            2, 1, 4, 1000, 4000, 4, 2, 1, 0, 0, 2, 0)
          """,
          """
          INSERT INTO queue_entries (queue_id, score, user_id, status, joined_at, entered_at, expires_at,
            ended_at, live, change_no, redeemed_by)
          SELECT id, 1500, 'done', 'COMPLETED', 1500, 2000, 3000, %1$d, NULL, 4, '' FROM waiting_queues
          UNION ALL
          SELECT id, 2000, 'inside', 'ENTERED', 2000, 4000, %1$d, 0, 1, 8, 'session' FROM waiting_queues
          UNION ALL
          SELECT id, 3000, 'first', 'WAITING', 3000, 0, 0, 0, 1, 6, '' FROM waiting_queues
          UNION ALL
          SELECT id, 5000, 'second', 'WAITING', 5000, 0, 0, 0, 1, 9, '' FROM waiting_queues
          """
              .formatted(UNTIL));

      try (Ledger ledger = open(config)) {
        Overview found = get(ledger.queues().find(QUEUE)).orElseThrow();
        assertThat(found.queue().version()).isEqualTo(3);
        assertThat(found.queue().settings())
            .isEqualTo(
                Settings.DEFAULT.with(
                    Map.ofEntries(
                        Map.entry("maxCapacity", 50),
                        Map.entry("entryBatchSize", 20),
                        Map.entry("entryIntervalSeconds", 5),
                        Map.entry("passTtlSeconds", 600),
                        Map.entry("maxWaiting", 1000),
                        Map.entry("newPlacesPerMinute", 9),
                        Map.entry("title", "Ti\"tle 티켓"),
                        Map.entry("targetUrl", "https://shop.example/%ED%8B%B0"),
                        Map.entry("color", "#aabbcc"),
                        Map.entry("message", "mes'sage"),
                        Map.entry("audience", "shop"),
                        Map.entry("onExpiry", "REQUEUE"),
                        Map.entry("once", true),
                        Map.entry("completedBy", "SITE"))));
        assertThat(found.figures().waiting()).isEqualTo(2);
        assertThat(found.figures().entered()).isEqualTo(2);
        Line line = ledger.line();
        assertThat(place(line, "inside").entry())
            .isEqualTo(new Entry(new EntryKey(QUEUE, "inside", 2000), Status.ENTERED, 4000, UNTIL));
        assertThat(place(line, "first").entry().key().joined()).isEqualTo(3000);
        assertThat(place(line, "first").ahead()).isZero();
        assertThat(place(line, "second").entry().key().joined()).isEqualTo(5000);
        assertThat(place(line, "second").ahead()).isEqualTo(1);
        assertThat(place(line, "first").ticket()).isEqualTo(1);
        assertThat(place(line, "second").ticket()).isEqualTo(2);
        assertThat(get(ledger.queues().join(QUEUE, "done"))).isInstanceOf(Joined.Over.class);
        Joined third = get(ledger.queues().join(QUEUE, "third"));
        assertThat(third)
            .isInstanceOfSatisfying(
                Joined.Waiting.class,
                joined -> {
                  assertThat(joined.place().ahead()).isEqualTo(2);
                  assertThat(joined.place().ticket()).isEqualTo(3);
                  assertThat(joined.place().line().change()).isEqualTo(10);
                });
      }
    }
  }

  @Test
  void open_tablesBeforeTickets_numberThoseWhoWaitByLane() throws SQLException {
    for (Ledger.Config config : databases()) {
      makeTables(config, 16);
      assertNumberedByLane(config);
    }
  }

  /** Two wait in one lane and one in another, in tables that know no tickets. */
  static void assertNumberedByLane(Ledger.Config config) throws SQLException {
    String settings =
        Settings.DEFAULT
            .with(
                Map.of(
                    "lanes",
                    List.of(Map.of("name", "vip", "share", 7), Map.of("name", "all", "share", 3))))
            .text();
    long vip = Score.inBand(-1, 3_000);
    execute(
        config,
        """
        INSERT INTO waiting_queues (event_type, event_id, settings, rate, entry_open, admission_paused,
          paused_reason, lanes, queue_ended_at, version, created_at, activated_at, deactivated_at, change_no,
          last_joined, front_score, waiting, inside, tokens, tokens_rest, refilled_at, last_entered_at,
          joined_total, entered_total, completed_total, left_total, expired_total, kept_from, changed_minute,
          room_from)
        VALUES ('OLD', '1', '%s', '', true, false,
          '', '{"vip":[-1,1,%d,0],"all":[0,2,2000,0]}', 0, 1, 1, 1, 0, 4,
          4000, %d, 3, 0, 0, 0, 5, 0,
          3, 0, 0, 0, 0, 0, 0,
          0)
        """
            .formatted(settings, vip, vip),
        """
        INSERT INTO queue_entries (queue_id, score, user_id, status, joined_at, entered_at, expires_at,
          ended_at, live, change_no, redeemed_by)
        SELECT id, 2000, 'first', 'WAITING', 2000, 0, 0, 0, 1, 2, '' FROM waiting_queues
        UNION ALL
        SELECT id, %d, 'vip', 'WAITING', 3000, 0, 0, 0, 1, 3, '' FROM waiting_queues
        UNION ALL
        SELECT id, 4000, 'second', 'WAITING', 4000, 0, 0, 0, 1, 4, '' FROM waiting_queues
        """
            .formatted(vip));

    try (Ledger ledger = open(config)) {
      assertThat(place(ledger.line(), "vip").ticket()).isEqualTo(1);
      assertThat(place(ledger.line(), "first").ticket()).isEqualTo(1);
      assertThat(place(ledger.line(), "second").ticket()).isEqualTo(2);
      assertThat(get(ledger.queues().join(QUEUE, "third")))
          .isInstanceOfSatisfying(
              Joined.Waiting.class, joined -> assertThat(joined.place().ticket()).isEqualTo(3));
    }
  }

  @Test
  void open_tablesThatKnewOnlyActs_sayOnceWhatTheTimesMakeOfThem() throws SQLException {
    for (Ledger.Config config : databases()) {
      makeTables(config, 25);
      assertToldOnce(config);
    }
  }

  /** Of queues that were open and said so, in tables of a version that went by acts alone. */
  static void assertToldOnce(Ledger.Config config) throws SQLException {
    String before = "2020-01-01T00:00:00Z";
    String later = "2090-01-01T00:00:00Z";
    insertOpen(config, "always", Map.of("title", "opensAt"));
    insertOpen(config, "early", Map.of("opensAt", later));
    insertOpen(config, "over", Map.of("closesAt", before));
    insertOpen(config, "open", Map.of("opensAt", before, "endsAt", later));

    try (Ledger ledger = open(config)) {
      ledger.feed().listen("test");
      assertThat(get(ledger.queues().due()))
          .extracting(QueueId::id)
          .containsExactlyInAnyOrder("early", "over", "open");
      for (String id : List.of("always", "early", "over", "open")) {
        get(ledger.queues().admit(new QueueId("OLD", id), new Admission.Paced()));
      }

      assertThat(get(ledger.queues().due())).isEmpty();
      List<String> told = new ArrayList<>();
      for (Unread unread : ledger.feed().unread("test", 10)) {
        ledger
            .feed()
            .happened("test", unread, 0, 10)
            .changes()
            .forEach(
                change ->
                    change
                        .events()
                        .forEach(e -> told.add(unread.queue().id() + " " + e.kind().word())));
      }
      assertThat(told).containsExactlyInAnyOrder("early closed", "over closed");
    }
  }

  private static void insertOpen(Ledger.Config config, String id, Map<String, Object> settings)
      throws SQLException {
    execute(
        config,
        """
        INSERT INTO waiting_queues (event_type, event_id, settings, rate, entry_open, admission_paused,
          paused_reason, lanes, queue_ended_at, version, created_at, activated_at, deactivated_at, change_no,
          last_joined, front_score, waiting, inside, tokens, tokens_rest, refilled_at, last_entered_at,
          joined_total, entered_total, completed_total, left_total, expired_total, kept_from, changed_minute,
          room_from)
        VALUES ('OLD', '%s', '%s', '', true, false,
          '', '', 0, 1, 1, 1, 0, 1,
          0, 0, 0, 0, 0, 0, 5, 0,
          0, 0, 0, 0, 0, 0, 0,
          %d)
        """
            .formatted(id, Settings.DEFAULT.with(settings).text(), Long.MAX_VALUE));
  }

  /** Where there was only active or not, both facts follow from it. */
  @ParameterizedTest
  @CsvSource({"true, OPEN", "false, INACTIVE"})
  void open_tablesBeforeTheStates_areOpenOrInactive(boolean wasActive, State.Word expected)
      throws SQLException {
    for (Ledger.Config config : databases()) {
      makeTables(config, 1);
      execute(
          config,
          queueOfTheFirstVersion(0, 100, 5),
          "UPDATE waiting_queues SET is_active = " + wasActive);

      try (Ledger ledger = open(config)) {
        State state = get(ledger.queues().find(QUEUE)).orElseThrow().queue().state();
        assertThat(state).isEqualTo(wasActive ? State.OPEN : State.INACTIVE);
        assertThat(state.word()).isEqualTo(expected);
      }
    }
  }

  /**
   * A server of the version before that is still running beside: whatever it wants to change, it
   * locks the queue first, and that statement fails. So it admits nobody twice and loses nobody.
   */
  @Test
  void open_thenAServerOfTheVersionBefore_canChangeNothing() {
    for (Ledger.Config config : databases()) {
      makeTables(config, 8);
      open(config).close();

      assertThatThrownBy(
              () ->
                  execute(
                      config,
                      """
                      SELECT id, event_type, event_id, max_capacity, is_active, last_score
                      FROM waiting_queues WHERE event_type = 'OLD' AND event_id = '1'
                      """))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("max_capacity");
      assertThatThrownBy(() -> execute(config, "SELECT settings, is_active FROM waiting_queues"))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("is_active");
    }
  }
}
