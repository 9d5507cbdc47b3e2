package io.naru.e2e.crash;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.gate.Gate;
import io.naru.pass.Verification;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Proves the checker: servers, and a site, that break one promise each are found out without any
 * fault, and the promise is named.
 */
@Timeout(value = 2, unit = MINUTES)
class SabotageTest {

  private static final String MAIN = "io.naru.server.WrongServer";

  /** Nothing here will ever be right again. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  /** Everybody inside is back in line, and nobody knows that they were inside. */
  private static final String[] FORGET_ADMISSIONS = {
    """
    UPDATE waiting_queues
    SET waiting = waiting + inside, inside = 0, front_score = 0, change_no = change_no + 1
    WHERE event_id = 'forget-admissions'
    """,
    """
    UPDATE queue_entries e
    SET status = 'WAITING', entered_at = 0, expires_at = 0, change_no = q.change_no
    FROM waiting_queues q
    WHERE q.id = e.queue_id AND q.event_id = 'forget-admissions' AND e.status = 'ENTERED'
    """
  };

  /** The score is what the clock says, also when that goes back by half a second now and then. */
  private static final String[] WALL_TIME = {
    """
    CREATE FUNCTION forget_last_joined() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      NEW.last_joined := 0;
      RETURN NEW;
    END $$
    """,
    """
    CREATE TRIGGER wall_time BEFORE UPDATE ON waiting_queues
    FOR EACH ROW WHEN (NEW.event_id = 'wall-time') EXECUTE FUNCTION forget_last_joined()
    """,
    """
    CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
      SELECT t - (extract(epoch FROM t)::bigint % 2) * interval '500 milliseconds'
      FROM (SELECT pg_catalog.clock_timestamp() AS t) AS now
    $$
    """
  };

  private static RedisServer redis;
  private static Stage stage;

  @BeforeAll
  static void start(@TempDir Path data) {
    redis = RedisServer.start(RedisBinary.embedded());
    stage =
        new Stage(
            Database.POSTGRES,
            data,
            redis.uri(),
            redis::connect,
            options -> Stage.instead(MAIN, options));
  }

  @AfterAll
  static void end() {
    stage.close();
    redis.close();
  }

  /** All at once, each with a queue of its own: a run waits more than it computes. */
  @Test
  void wrongServers_areFoundOut() throws Exception {
    Map<String, Integer> broken =
        Map.of(
            "acknowledge-before-commit", 1,
            "keep-returned", 1,
            "deaf-to-stock", 5,
            "admit-twice", 5,
            "stale-place", 8,
            "apply-without-number", 9);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> runs = new ArrayList<>();
      broken.forEach(
          (sabotage, rule) ->
              runs.add(
                  threads.submit(
                      () -> {
                        assertFoundOut(sabotage, rule, SabotageTest::letALineGrow);
                        return sabotage;
                      })));
      for (Future<?> run : runs) {
        run.get();
      }
    }
  }

  /** On a busy machine so few may wait at a time that whoever admits twice finds nobody. */
  private static void letALineGrow(Run run) {
    run.operator().pause();
    run.awaitPlaces(60);
    run.operator().resume();
    run.awaitPlaces(540);
  }

  @Test
  void orderByWallTime_isFoundOut() throws Exception {
    assertFoundOut(
        "wall-time",
        3,
        run -> {
          // Ahead of the database's own, so that it is this clock that is asked.
          sql("ALTER DATABASE postgres SET search_path = public, pg_catalog");
          sql(WALL_TIME);
          // Connections know the way to a function from when they were opened.
          stage.database().reset();
          run.awaitPlaces(600);
          sql("DROP FUNCTION public.clock_timestamp()");
          stage.database().reset();
        });
  }

  @Test
  void forgottenAdmissions_areFoundOut() throws Exception {
    assertFoundOut(
        "forget-admissions",
        4,
        run -> {
          run.awaitPlaces(300);
          run.awaitEntered(20);
          sql(FORGET_ADMISSIONS);
          run.awaitPlaces(300);
        });
  }

  /** It is no server that does this, but a site that takes what fails for what is good. */
  @Test
  void acceptOnException_isFoundOut() throws Exception {
    try (var run = new Run(stage, "accept-on-exception", 10, PATIENCE);
        var gates = new SiteGates(stage, run, new Trusting())) {
      gates.awaitAnotherKey();
      assertThat(gates.takenThoughForged()).hasSize(3);
    }
  }

  private static final class Trusting implements SiteGates.Look {

    private @Nullable Verification good;

    @Override
    public Verification at(Gate gate, String pass) {
      Verification found = gate.check(pass);
      if (found instanceof Verification.Verified) {
        good = found;
      }
      return good == null ? found : good;
    }
  }

  private static void assertFoundOut(String sabotage, int rule, Faults.Fault fault)
      throws Exception {
    try (var run = new Run(stage, sabotage, rule, PATIENCE)) {
      fault.happen(run);
      assertThat(run.breaches())
          .as("breaches of rule %d", rule)
          .anyMatch(breach -> breach.startsWith("rule %d broken: ".formatted(rule)));
    }
  }

  private static void sql(String... statements) throws SQLException {
    try (var connection = stage.server().connect();
        var statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      for (String sql : statements) {
        statement.execute(sql);
      }
      connection.commit();
    }
  }
}
