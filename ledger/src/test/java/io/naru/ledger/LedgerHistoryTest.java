package io.naru.ledger;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.history.Counts;
import io.naru.history.Minute;
import io.naru.history.Period;
import io.naru.history.Statistics;
import io.naru.memory.MemoryCopy;
import io.naru.queue.Actor;
import io.naru.queue.Edit;
import io.naru.queue.QueueId;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the contract cannot ask of every store: many rows, and which of them are kept. */
class LedgerHistoryTest {

  private static final QueueId QUEUE = new QueueId("PAST", "1");
  private static final int MANY = 25_001;

  @TempDir private Path directory;
  private LedgerFixture server;

  @BeforeEach
  void start() throws Exception {
    var config =
        new Ledger.Config("jdbc:sqlite:" + directory.resolve("ledger.db"), null, null, false);
    server = new LedgerFixture(config, new MemoryCopy());
    get(server.ledger().queues().edit(QUEUE, Edit.activate(Map.of())));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static <T> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(20, SECONDS);
  }

  private long ask(String sql) throws SQLException {
    try (Connection connection = server.connect();
        var statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      result.next();
      return result.getLong(1);
    }
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = server.connect();
        var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Test
  void statistics_moreThanAPart_countsEachOnce() throws Exception {
    execute(
        """
        INSERT INTO queue_entries
          (queue_id, score, user_id, status, joined_at, entered_at, expires_at, ended_at, live, change_no)
        WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
        SELECT q.id, i, 'user' || i, 'COMPLETED', q.created_at + i, q.created_at + i + 2000000,
          q.created_at + 9000000, q.created_at + i + 5000000, NULL, 1
        FROM n, waiting_queues q
        """
            .formatted(MANY - 1));

    Statistics sum =
        get(server
                .ledger()
                .history()
                .statistics(QUEUE, (created, now) -> new Period.Range(created, now)))
            .orElseThrow();

    assertThat(sum.counts()).isEqualTo(new Counts(MANY, MANY, MANY, 0, 0));
    assertThat(sum.waited().average()).hasValue(2);
    assertThat(sum.inside().percentile(99)).hasValue(3);
  }

  /** Whoever missed the change by which somebody was erased would keep their name. */
  @Test
  void erase_copyFromBefore_isBuiltAnew() throws Exception {
    var queues = (LedgerQueues) server.ledger().queues();
    get(queues.join(QUEUE, "ann"));
    long before = get(queues.find(QUEUE)).orElseThrow().figures().change();

    get(queues.erase(QUEUE, "ann", "erased-1", Actor.SYSTEM));

    var of = QueueLists.original(QUEUE, server.ledger().id(), ask("SELECT id FROM waiting_queues"));
    assertThat(queues.reader().since(of, before, 100)).isEmpty();
    assertThat(queues.reader().since(of, before + 1, 100)).isPresent();
  }

  @Test
  void erase_fileOfTheDatabase_hasNothingLeftOfTheName() throws Exception {
    var queues = server.ledger().queues();
    for (int i = 0; i < 200; i++) {
      get(queues.join(QUEUE, "anybody" + i));
      get(queues.join(QUEUE, "somebody" + i));
    }
    for (int i = 0; i < 200; i += 3) {
      get(queues.erase(QUEUE, "somebody" + i, "erased-" + i, Actor.SYSTEM));
      assertThat(ask("SELECT count(*) FROM queue_entries")).isEqualTo(400);
    }

    server.close();

    String file = Files.readString(directory.resolve("ledger.db"), StandardCharsets.ISO_8859_1);
    Set<String> names =
        Pattern.compile("(any|some)body\\d+")
            .matcher(file)
            .results()
            .map(MatchResult::group)
            .collect(Collectors.toSet());
    assertThat(names).contains("anybody199", "somebody199");
    for (int i = 0; i < 200; i += 3) {
      assertThat(names).doesNotContain("somebody" + i);
    }
    start();
  }

  /** More than one step can erase: the next one goes on. */
  @Test
  void erase_veryManyEntries_takesSomeSteps() throws Exception {
    execute(
        """
        INSERT INTO queue_entries
          (queue_id, score, user_id, status, joined_at, entered_at, expires_at, ended_at, live, change_no)
        WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
        SELECT q.id, i, 'ann', 'LEFT', q.created_at + i, 0, 0, q.created_at + i, NULL, 1
        FROM n, waiting_queues q
        """);
    for (long left : new long[] {501, 0}) {
      get(server.ledger().queues().erase(QUEUE, "ann", "erased-1", Actor.SYSTEM));
      assertThat(ask("SELECT count(*) FROM queue_entries WHERE user_id = 'ann'")).isEqualTo(left);
    }
  }

  /** One row per minute and queue, however much happens in it. */
  @Test
  void minutes_manyChanges_areOneRowEach() throws Exception {
    for (int i = 0; i < 20; i++) {
      get(server.ledger().queues().join(QUEUE, "user" + i));
    }
    server.advance(Duration.ofMinutes(2));
    get(server.ledger().queues().join(QUEUE, "late"));

    assertThat(ask("SELECT count(*) FROM queue_minutes")).isBetween(1L, 2L);
    assertThat(ask("SELECT max(joined_total) FROM queue_minutes")).isEqualTo(20);
  }

  @Test
  void retention_minutesOfAMonthAgo_andOfDeletedQueues_areForgotten() throws Exception {
    execute(
        """
        INSERT INTO queue_entries
          (queue_id, score, user_id, status, joined_at, entered_at, expires_at, ended_at, live, change_no)
        SELECT id, 1, 'old', 'LEFT', created_at, 0, 0, created_at + 1, NULL, 1 FROM waiting_queues
        """);
    execute(
        "INSERT INTO queue_minutes SELECT id, created_at / 60000000, 1, 0, 0, 0, 0 FROM waiting_queues");
    execute("INSERT INTO queue_minutes VALUES (4711, 1, 1, 0, 0, 0, 0)");
    execute("INSERT INTO deleted_queues VALUES (4711)");
    server.advance(Duration.ofDays(31));
    get(server.ledger().queues().join(QUEUE, "new"));

    server.ledger().retention().run();

    assertThat(ask("SELECT count(*) FROM queue_minutes")).isZero();
    List<Minute> minutes =
        get(server
                .ledger()
                .history()
                .timeline(QUEUE, (_, now) -> new Period.Range(now - Minute.MICROS, now + 1)))
            .orElseThrow();
    assertThat(minutes).hasSizeBetween(2, 3);
  }
}
