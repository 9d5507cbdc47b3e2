package io.naru.bench.scenario;

import io.naru.bench.load.Sample;
import io.naru.bench.report.Row;
import io.naru.bench.servers.Naru;
import io.naru.bench.servers.Store;
import io.naru.testkit.Poll;
import io.naru.testkit.PostgresServer;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * What queues cost that nobody is in: people enter one queue, at a rate that the server has no
 * trouble with, while there are many others; beside a server with that one queue only, in turns.
 * Both are started for it one after the other, and as many have entered at each before it is
 * measured: a server that is compiled already would be beside one that is not.
 */
final class ManyQueues implements Scenario {

  private static final int OWED_QUEUES = 1_500;
  private static final double OWED_TIMES = 1.2;
  private static final double PER_SECOND = 500;
  private static final int CONNECTIONS = 128;

  /** So many enter first: enough to be compiled for it, and as many here as there. */
  private static final int WARM_UP = 20_000;

  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /** Whatever columns there are, except those that make a queue itself. */
  private static final String COLUMNS =
      """
      SELECT string_agg(column_name, ', ') FROM information_schema.columns
      WHERE table_name = 'waiting_queues' AND is_generated = 'NEVER' AND is_identity = 'NO'
        AND column_name <> 'event_id'
      """;

  @Override
  public String name() {
    return "many-queues";
  }

  @Override
  public void run(Stage stage, Consumer<Row> rows) {
    try (var postgres = PostgresServer.start()) {
      for (int count : stage.pace().queues()) {
        measure(stage, postgres, count).forEach(rows);
      }
    }
  }

  private static List<Row> measure(Stage stage, PostgresServer postgres, int count) {
    String lonely = postgres.fresh();
    String crowded = postgres.fresh();
    try (var alone = Store.postgres(postgres, lonely);
        var shared = Store.postgres(postgres, crowded)) {
      make(stage, postgres, alone, lonely, 1);
      make(stage, postgres, shared, crowded, count);
      try (var one = stage.start(alone);
          var many = stage.start(shared)) {
        awaitCopies(one, 1);
        awaitCopies(many, count);
        return measure(stage, one, many, count);
      }
    }
  }

  /** One queue is opened as usual; the others are made like it, which is quicker. */
  static void make(Stage stage, PostgresServer postgres, Store store, String url, int count) {
    try (var naru = stage.start(store)) {
      naru.openIdleQueue();
    }
    try (var connection = DriverManager.getConnection(url, postgres.user(), postgres.password());
        var statement = connection.createStatement()) {
      String columns;
      try (var result = statement.executeQuery(COLUMNS)) {
        result.next();
        columns = result.getString(1);
      }
      statement.execute(
          "INSERT INTO waiting_queues (event_id, %s) SELECT 'q' || n, %s FROM waiting_queues, generate_series(2, %d) n"
              .formatted(columns, columns, count));
      // Queues that were made just now are looked at for a minute; idle ones were made long ago.
      statement.execute("UPDATE waiting_queues SET changed_minute = 0");
      // It was long ago for the database, too: it has cleaned up, and knows how many there are.
      statement.execute("VACUUM ANALYZE");
    } catch (SQLException e) {
      throw new IllegalStateException("queues cannot be made", e);
    }
  }

  /** After a start every copy is compared, once; that is not what is measured here. */
  private static void awaitCopies(Naru naru, int count) {
    Poll.until(
        PATIENCE,
        () -> "only %,d of %,d queues have a copy".formatted(naru.redisKeys(), count),
        () -> naru.redisKeys() >= count);
  }

  private static List<Row> measure(Stage stage, Naru one, Naru many, int count) {
    var alone = enter(stage, one, "enter, 1 queue");
    var among = enter(stage, many, "enter, %,d queues".formatted(count));
    // Once at this rate, too: connections are opened, and what collects in batches does not.
    round(stage, alone, "warm-up");
    round(stage, among, "warm-up");
    for (int round = 1; round <= stage.pace().rounds(); round++) {
      var when = "round %d of %d".formatted(round, stage.pace().rounds());
      // There and back: nobody always comes right after the other one.
      for (var contender : round % 2 == 1 ? List.of(alone, among) : List.of(among, alone)) {
        contender.add(round(stage, contender, when));
      }
    }
    var times = among.timesLatency(alone);
    var row = among.row().note("p99 %.2f × with one queue".formatted(times));
    return List.of(
        alone.row().note("%,.0f/s offered".formatted(PER_SECOND)),
        count == OWED_QUEUES ? row.owes("at most 1.2 ×", times <= OWED_TIMES) : row);
  }

  private static Contender enter(Stage stage, Naru naru, String name) {
    var queue = naru.openQueue();
    stage.fill(naru, queue, WARM_UP);
    return new Contender(name, naru.target(), Contender.settled(queue.users(), queue::enter));
  }

  private static Sample round(Stage stage, Contender contender, String when) {
    var traffic = contender.nextRound();
    var sample =
        stage
            .load()
            .offer(contender.target(), traffic, CONNECTIONS, PER_SECOND, stage.pace().round());
    stage
        .progress()
        .say(
            "%s: %-24s %,9.0f/s  p50 %.2f ms  p99 %.2f ms"
                .formatted(
                    when,
                    contender.name(),
                    sample.perSecond(),
                    sample.millisAt(50),
                    sample.millisAt(99)));
    return sample;
  }
}
