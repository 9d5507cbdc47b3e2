package io.naru.ledger;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.batch.BatchObserver;
import io.naru.line.Line;
import io.naru.line.Moved;
import io.naru.line.Spot;
import io.naru.line.Standing;
import io.naru.line.Tickets;
import io.naru.line.Tile;
import io.naru.queue.Actor;
import io.naru.queue.Admission;
import io.naru.queue.Edit;
import io.naru.queue.Joined;
import io.naru.queue.Place;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import io.naru.redis.Redis;
import io.naru.redis.copy.RedisCopy;
import io.naru.testkit.PostgresServer;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Redis is gone: places come from the ledger, exact, and at a cost that does not grow with those
 * who ask.
 */
@Tag("process")
class AwayTest {

  private static final QueueId QUEUE = new QueueId("AWAY", "1");
  private static final QueueId SHORT = new QueueId("AWAY", "short");

  /**
   * A ledger whose Redis was stopped after so many had joined.
   *
   * @param people in the order of the line: who asks while others do may be before or after them
   */
  private record World(
      RedisServer store, Redis redis, LedgerFixture server, SortedMap<Long, String> people)
      implements AutoCloseable {

    static World with(Ledger.Config config, int people) throws Exception {
      var store = RedisServer.start(RedisBinary.embedded());
      var redis = Redis.connect(store.uri());
      var world =
          new World(
              store,
              redis,
              new LedgerFixture(config, new RedisCopy(redis, BatchObserver.NONE)),
              new TreeMap<>());
      get(world.queues().edit(QUEUE, Edit.activate(Map.of("maxCapacity", 1_000))));
      List<CompletionStage<Joined>> joins = new ArrayList<>();
      for (int i = 0; i < people; i++) {
        joins.add(world.queues().join(QUEUE, "u" + i));
      }
      for (CompletionStage<Joined> join : joins) {
        Place place = ((Joined.Waiting) get(join)).place();
        world.people.put(place.ahead(), place.entry().key().user());
      }
      await().until(() -> world.server.ledger().troubles().isEmpty());
      store.kill();
      return world;
    }

    Queues queues() {
      return server.ledger().queues();
    }

    Line line() {
      return server.ledger().line();
    }

    Place place(long number) throws Exception {
      return place(Objects.requireNonNull(people.get(number)));
    }

    Place place(String user) throws Exception {
      return ((Standing.Found) get(line().locate(QUEUE, user))).place();
    }

    @Override
    public void close() {
      server.close();
      redis.close();
      store.close();
    }
  }

  private static <T> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(30, SECONDS);
  }

  /** Of one line each person takes the database a while, as a million of them would. */
  @Test
  void longLineIsCounted_thoseOfAShortOneHearTheirPlace() throws Exception {
    try (var world = World.with(LedgerFixture.postgres(), 60);
        Connection connection = world.server.connect();
        Statement statement = connection.createStatement()) {
      get(world.queues().edit(SHORT, Edit.activate(Map.of())));
      for (String user : List.of("ann", "ben", "cho")) {
        get(world.queues().join(SHORT, user));
      }
      statement.execute("ALTER TABLE queue_entries RENAME TO all_entries");
      statement.execute(
          """
          CREATE VIEW queue_entries AS SELECT * FROM all_entries
          WHERE queue_id <> (SELECT id FROM waiting_queues WHERE event_id = '1')
            OR pg_sleep(0.2) IS NOT NULL
          """);
      statement.execute("UPDATE waiting_queues SET waiting = 20000 WHERE event_id = '1'");

      CompletionStage<Standing> counted = world.line().locate(QUEUE, "u5");
      await().until(() -> isCounting(statement));

      for (int i = 0; i < 3; i++) {
        var standing = (Standing.Found) get(world.line().locate(SHORT, "cho"));
        assertThat(standing.place().ahead()).isEqualTo(2);
      }
      assertThat(isCounting(statement)).as("the long line is still counted").isTrue();
      assertThat(counted.toCompletableFuture().handle((_, failure) -> failure).get(10, SECONDS))
          .as("who has to wait for that comes again")
          .isNotNull();
    }
  }

  private static boolean isCounting(Statement statement) throws SQLException {
    try (var result =
        statement.executeQuery("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'")) {
      return result.next();
    }
  }

  /** They know their place as well as the ledger does; a thousand who asked would delay others. */
  @Test
  void thoseWhoWatch_neverLoseTheThread() throws Exception {
    Ledger.Config config = LedgerFixture.postgres();
    try (var world = World.with(config, 60)) {
      long change = number(config, "SELECT change_no FROM waiting_queues");
      List<Moved> told = new ArrayList<>();
      await()
          .until(
              () -> {
                told.add(get(world.line().since(QUEUE, change)));
                return told.getLast() instanceof Moved.Steps;
              });
      assertThat(told).doesNotHaveAnyElementsOfTypes(Moved.Gap.class);
    }
  }

  @Test
  void placesAreExact_postgres() throws Exception {
    try (var world = World.with(LedgerFixture.postgres(), 3_000)) {
      assertPlacesAreExact(world);
    }
  }

  @Test
  void placesAreExact_sqlite(@TempDir Path directory) throws Exception {
    var config =
        new Ledger.Config("jdbc:sqlite:" + directory.resolve("ledger.db"), null, null, false);
    try (var world = World.with(config, 3_000)) {
      assertPlacesAreExact(world);
    }
  }

  private static void assertPlacesAreExact(World world) throws Exception {
    Place last = world.place(2999);
    assertThat(last.ahead()).isEqualTo(2_999);
    assertThat(last.line().waiting()).isEqualTo(3_000);
    var spot = new Spot(last.score(), last.ahead(), last.line().change());

    get(world.queues().admit(QUEUE, new Admission.ByHand(500, Actor.SYSTEM)));
    get(world.queues().leave(world.place(1000).entry().key()));
    get(world.queues().join(QUEUE, "late"));

    assertThat(world.place(2999).ahead()).isEqualTo(2_498);
    assertThat(world.place("late").ahead()).isEqualTo(2_499);
    assertThat(world.place(500).ahead()).isZero();
    assertThat(world.place(499).entry().isWaiting()).isFalse();
    await()
        .until(
            () ->
                get(world.line().since(QUEUE, spot.change()))
                        instanceof Moved.Steps(var line, var moves)
                    && spot.follow(moves) != Spot.Seen.LOST
                    && spot.change() == line.change()
                    && spot.ahead() == 2_498);

    assertThat(world.place("late").ticket()).isEqualTo(3_001);
    Tickets tickets = get(world.line().tickets(QUEUE)).orElseThrow();
    assertThat(tickets.lanes())
        .containsExactly(new Tickets.OfLane(new Tickets.Range(0, 501, 3_001), List.of(1, 0, 0)));
    assertThat(get(world.line().tile(QUEUE, new Tile.Block(0, 0, 1_024))).orElseThrow().gone())
        .containsExactly(1_001L);

    world.store.restart();
    await().atMost(30, SECONDS).until(() -> world.server.ledger().troubles().isEmpty());
    assertThat(world.place(2999).ahead()).isEqualTo(2_498);
    assertThat(get(world.line().tickets(QUEUE))).contains(tickets);
  }

  @Test
  void manyAsk_theLineIsCountedOnce() throws Exception {
    int people = 5_000;
    Ledger.Config config = LedgerFixture.postgres();
    try (var world = World.with(config, people)) {
      for (int i = 0; i < 200; i++) {
        assertThat(world.place("u" + (people - 1 - i)).ahead()).isEqualTo(people - 1 - i);
      }
    }
    // What a connection has read is known for certain when it is gone.
    String others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()";
    await().until(() -> number(config, others) == 1);
    assertThat(
            number(
                config,
                "SELECT idx_tup_fetch FROM pg_stat_user_tables WHERE relname = 'queue_entries'"))
        .isBetween((long) people, 10L * people);
  }

  private static long number(Ledger.Config config, String sql) throws SQLException {
    try (Connection connection = PostgresServer.shared().connect(config.url());
        Statement statement = connection.createStatement();
        var result = statement.executeQuery(sql)) {
      result.next();
      return result.getLong(1);
    }
  }
}
