package io.naru.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.batch.BatchObserver;
import io.naru.line.Standing;
import io.naru.memory.MemoryCopy;
import io.naru.queue.Entry.Status;
import io.naru.queue.Micros;
import io.naru.queue.Overview;
import io.naru.queue.Place;
import io.naru.queue.QueueId;
import io.naru.queue.Settings;
import io.naru.testkit.PostgresServer;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A ledger that an earlier version made opens with everything in it. */
@Tag("process")
class EarlierVersionsTest {

  private static final QueueId QUEUE = new QueueId("OLD", "1");
  private static final String TITLE = "나루 \"x\" \\ {y} %s 🎟 'z'";
  private static final long NOW = Micros.now(InstantSource.system());

  @TempDir private Path directory;

  private Ledger.Config config(String kind) {
    if (kind.equals("sqlite")) {
      return new Ledger.Config("jdbc:sqlite:" + directory.resolve("l.db"), null, null, false);
    }
    PostgresServer server = PostgresServer.shared();
    return new Ledger.Config(server.fresh(), server.user(), server.password(), false);
  }

  /** What the migrations up to then make, and a queue in it with one in line and one inside. */
  private static void make(Ledger.Config config, String kind, int version, int tokens)
      throws SQLException {
    Flyway.configure(Schema.class.getClassLoader())
        .dataSource(config.url(), config.user(), config.password())
        .locations("classpath:io/naru/ledger/" + kind)
        .table("naru_schema_history")
        .target(Integer.toString(version))
        .load()
        .migrate();
    Map<String, Object> queue = new HashMap<>();
    queue.putAll(Map.of("event_type", QUEUE.type(), "event_id", QUEUE.id(), "title", TITLE));
    queue.putAll(Map.of("max_capacity", 7, "entry_batch_size", 5, "entry_interval_seconds", 3_600));
    queue.putAll(Map.of("pass_ttl_seconds", 86_400, "max_waiting", 19, "new_places_per_minute", 0));
    queue.putAll(Map.of("target_url", "https://shop.example/석", "is_active", true, "version", 3));
    queue.putAll(Map.of("created_at", 1, "activated_at", 2, "deactivated_at", 0));
    queue.putAll(Map.of("change_no", 42, "front_score", 1_000, "waiting", 1, "inside", 1));
    queue.put(version < 9 ? "last_score" : "last_joined", 1_000);
    queue.putAll(Map.of("tokens", tokens, "refilled_at", NOW, "last_entered_at", NOW));
    queue.putAll(Map.of("joined_total", 2, "entered_total", 1, "completed_total", 0));
    queue.putAll(Map.of("left_total", 0, "expired_total", 0, "kept_from", 0));
    if (version >= 5) {
      queue.putAll(Map.of("color", "#00fFa9", "message", TITLE, "audience", "shop"));
      queue.putAll(Map.of("on_expiry", "REQUEUE", "once", true, "completed_by", "SITE"));
    }
    insert(config, "waiting_queues", queue);
    entry(
        config, Map.of("user_id", "ann", "status", "WAITING", "score", 1_000, "joined_at", 1_000));
    entry(config, Map.of("user_id", "bob", "status", "ENTERED", "score", 900, "joined_at", 900));
  }

  private static void entry(Ledger.Config config, Map<String, Object> some) throws SQLException {
    Map<String, Object> entry = new HashMap<>(some);
    boolean isInside = "ENTERED".equals(some.get("status"));
    entry.putAll(Map.of("queue_id", 1, "live", 1, "change_no", 42, "ended_at", 0));
    entry.put("entered_at", isInside ? NOW : 0);
    entry.put("expires_at", isInside ? NOW + 3_600_000_000L : 0);
    insert(config, "queue_entries", entry);
  }

  private static void insert(Ledger.Config config, String table, Map<String, Object> row)
      throws SQLException {
    String columns = String.join(", ", row.keySet());
    String sql = "INSERT INTO " + table + " (" + columns + ") VALUES (?";
    try (var connection =
            DriverManager.getConnection(config.url(), config.user(), config.password());
        var insert = connection.prepareStatement(sql + ", ?".repeat(row.size() - 1) + ")")) {
      int i = 1;
      for (Object value : row.values()) {
        insert.setObject(i++, value);
      }
      insert.executeUpdate();
    }
  }

  private static Settings expected(int version) {
    Map<String, Object> set = new HashMap<>();
    set.putAll(Map.of("maxCapacity", 7, "entryBatchSize", 5, "entryIntervalSeconds", 3_600));
    set.putAll(Map.of("passTtlSeconds", 86_400, "maxWaiting", 19, "newPlacesPerMinute", 0));
    set.putAll(Map.of("title", TITLE, "targetUrl", "https://shop.example/%EC%84%9D"));
    if (version >= 5) {
      set.putAll(Map.of("color", "#00fFa9", "message", TITLE, "audience", "shop"));
      set.putAll(Map.of("onExpiry", "REQUEUE", "once", true, "completedBy", "SITE"));
    }
    return Settings.DEFAULT.with(set);
  }

  private static <T> T await(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  @ParameterizedTest
  @CsvSource({
    "sqlite,1", "sqlite,5", "sqlite,8", "sqlite,9",
    "postgresql,1", "postgresql,5", "postgresql,8", "postgresql,9"
  })
  void open_ledgerOfAnEarlierVersion_hasEverythingAsItWas(String kind, int version)
      throws SQLException {
    var config = config(kind);
    make(config, kind, version, 4);

    try (Ledger ledger = Ledger.open(config, InstantSource.system())) {
      ledger.start(new MemoryCopy(), BatchObserver.NONE);
      Overview found = await(ledger.queues().find(QUEUE)).orElseThrow();
      assertThat(found.queue().settings()).isEqualTo(expected(version));
      assertThat(found.queue().active()).isTrue();
      assertThat(found.queue().version()).isEqualTo(3);
      assertThat(found.figures().change()).isEqualTo(42);
      assertThat(found.figures().inside()).isEqualTo(1);
      Place ann = place(ledger, "ann");
      assertThat(ann.entry().key().joined()).isEqualTo(1_000);
      assertThat(ann.ahead()).isZero();
      Place bob = place(ledger, "bob");
      assertThat(bob.entry().status()).isEqualTo(Status.ENTERED);
      assertThat(bob.entry().key().joined()).isEqualTo(900);
      assertThat(await(ledger.queues().due())).containsExactly(QUEUE);
    }
  }

  @ParameterizedTest
  @CsvSource({"sqlite", "postgresql"})
  void open_ledgerOfAnEarlierVersion_nothingIsDueBeforeItsTime(String kind) throws SQLException {
    var config = config(kind);
    make(config, kind, 8, 0);

    try (Ledger ledger = Ledger.open(config, InstantSource.system())) {
      ledger.start(new MemoryCopy(), BatchObserver.NONE);

      assertThat(await(ledger.queues().due())).isEmpty();
    }
  }

  private static Place place(Ledger ledger, String user) {
    return ((Standing.Found) await(ledger.line().locate(QUEUE, user))).place();
  }
}
