package io.naru.ledger;

import static java.util.concurrent.CompletableFuture.completedStage;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.line.Change;
import io.naru.line.CopyState;
import io.naru.line.Held;
import io.naru.line.LineCopy;
import io.naru.line.Moved;
import io.naru.line.Original;
import io.naru.line.Part;
import io.naru.line.Standing;
import io.naru.line.Tickets;
import io.naru.line.Tile;
import io.naru.memory.MemoryCopy;
import io.naru.queue.Edit;
import io.naru.queue.Overview;
import io.naru.queue.QueueId;
import io.naru.queue.Summary;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Any number of queues that the database holds: none is forgotten. */
abstract class ManyQueuesContract {

  private static final int MANY = 20_000;

  /** The square of it is more. */
  private static final int ROOT = 150;

  /** A queue of which all others are made. */
  static final QueueId FIRST = new QueueId("MANY", "first");

  static final QueueId BUSY = new QueueId("MANY", "busy");

  /** An empty one. */
  abstract Ledger.Config database();

  static Connection connect(Ledger.Config config) throws SQLException {
    return DriverManager.getConnection(config.url(), config.user(), config.password());
  }

  /** Copies the first queue, with whoever waits in it, under the names q0, q1, … */
  static void multiply(Ledger.Config config, int count) throws SQLException {
    try (Connection connection = connect(config);
        var statement = connection.createStatement()) {
      List<String> columns = new ArrayList<>();
      try (var all = statement.executeQuery("SELECT * FROM waiting_queues WHERE false")) {
        for (int i = 1; i <= all.getMetaData().getColumnCount(); i++) {
          columns.add(all.getMetaData().getColumnName(i));
        }
      }
      columns.removeAll(List.of("id", "event_id", "is_busy"));
      String rest = String.join(", ", columns);
      connection.setAutoCommit(false);
      // Not one long recursion: MariaDB ends it after a thousand.
      statement.execute(
          """
          INSERT INTO waiting_queues (event_id, %1$s)
          WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %2$d)
          SELECT concat('q', a.i * %3$d + b.i), %1$s
          FROM waiting_queues CROSS JOIN n a CROSS JOIN n b
          WHERE event_id = 'first' AND a.i * %3$d + b.i < %4$d
          """
              .formatted(rest, ROOT - 1, ROOT, count));
      statement.execute(
          """
          INSERT INTO queue_entries
            (queue_id, score, user_id, status, joined_at, entered_at, expires_at, ended_at, live,
              change_no, redeemed_by)
          SELECT q.id, score, user_id, status, joined_at, entered_at, expires_at, ended_at, live,
            e.change_no, redeemed_by
          FROM queue_entries e CROSS JOIN waiting_queues q WHERE q.event_id <> 'first'
          """);
      connection.commit();
    }
  }

  @Test
  void somebodyWaitsInEach_noneIsForgotten() throws Exception {
    Ledger.Config config = database();
    try (var server = new LedgerFixture(config, new MemoryCopy())) {
      get(server.ledger().queues().edit(FIRST, Edit.activate(Map.of())));
      get(server.ledger().queues().join(FIRST, "ann"));
    }
    multiply(config, MANY);
    var copy = new Asked(2);

    try (var server = new LedgerFixture(config, copy)) {
      Reader reader = ((LedgerQueues) server.ledger().queues()).reader();
      Set<QueueId> due = new HashSet<>(get(server.ledger().queues().due()));

      assertThat(due).hasSize(MANY + 1);
      assertThat(listed(reader)).hasSize(MANY + 1).isEqualTo(due);
      await().atMost(Duration.ofMinutes(2)).until(() -> copy.queues().containsAll(due));
      Summary summary = reader.summary(3);
      assertThat(summary.queues()).isEqualTo(MANY + 1);
      assertThat(summary.all().waiting()).isEqualTo(MANY + 1);
      assertThat(summary.busiest()).hasSize(3);
    }
  }

  private static Set<QueueId> listed(Reader reader) throws Exception {
    Set<QueueId> names = new HashSet<>();
    @Nullable QueueId after = null;
    List<Overview> page;
    do {
      page = reader.overviews(after, 1_000);
      page.forEach(o -> names.add(o.queue().id()));
      after = page.getLast().queue().id();
    } while (page.size() == 1_000);
    return names;
  }

  /** A copy that is always where the ledger is, and remembers of which queues it was asked. */
  static final class Asked implements LineCopy {
    private final Map<QueueId, AtomicLong> asked = new ConcurrentHashMap<>();
    private final Map<QueueId, Long> changes = new ConcurrentHashMap<>();
    private final long first;

    Asked(long first) {
      this.first = first;
      changes.put(BUSY, 0L);
    }

    Set<QueueId> queues() {
      return asked.keySet();
    }

    long of(QueueId queue) {
      return asked.getOrDefault(queue, new AtomicLong()).get();
    }

    @Override
    public CompletionStage<CopyState> state(Original of) {
      asked.computeIfAbsent(of.queue(), _ -> new AtomicLong()).incrementAndGet();
      return completedStage(new CopyState.At(changes.getOrDefault(of.queue(), first)));
    }

    @Override
    public CompletionStage<CopyState> apply(Original of, Change change) {
      changes.put(of.queue(), change.to());
      return state(of);
    }

    @Override
    public CompletionStage<Standing> locate(Original of, String user) {
      return completedStage(new Standing.Unknown());
    }

    @Override
    public CompletionStage<Moved> since(Original of, long change) {
      return completedStage(new Moved.Gap());
    }

    @Override
    public CompletionStage<Optional<Tickets>> tickets(Original of) {
      return completedStage(Optional.empty());
    }

    @Override
    public CompletionStage<Optional<Tile>> tile(Original of, Tile.Block block) {
      return completedStage(Optional.empty());
    }

    @Override
    public CompletionStage<Optional<Held>> held(Original of, Part part, int limit) {
      return completedStage(Optional.empty());
    }

    @Override
    public Rebuild rebuild(Original of) {
      throw new AssertionError("nothing is ever lost here");
    }

    @Override
    public CompletionStage<?> drop(QueueId queue) {
      return completedStage(null);
    }
  }

  static <T> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(20, SECONDS);
  }
}
