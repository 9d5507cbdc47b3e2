package io.naru.e2e.crash;

import static io.naru.e2e.crash.Faults.underLoad;
import static org.awaitility.Awaitility.await;

import io.naru.testkit.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * F13: clocks are set an hour ahead or back while people come and go: of one server, of both, of
 * the database. Whoever is inside may stay for longer than that, so that nobody has to go for it,
 * and all rules hold to the letter.
 */
abstract class ClockFaults {

  /** As PostgreSQL's own, which it stands before, and off by as many hours as a table says. */
  private static final String[] SET_CLOCK = {
    "ALTER DATABASE postgres SET search_path = public, pg_catalog",
    "CREATE TABLE set_clock (hours int)",
    "INSERT INTO set_clock VALUES (0)",
    """
    CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
      SELECT pg_catalog.clock_timestamp() + hours * interval '1 hour' FROM public.set_clock
    $$
    """
  };

  /** What there is to be set. */
  static final class Clocks implements AutoCloseable {

    private final Path folder;
    private final Stage stage;

    Clocks(Path data, @Nullable RedisServer redis) throws IOException, SQLException {
      folder = Files.createDirectory(data.resolve("clocks"));
      setServer("one", 0);
      setServer("two", 0);
      stage = Stage.withClocks(data, folder, redis);
      sql(SET_CLOCK);
      // Connections know the way to a function from when they were opened.
      stage.database().reset();
    }

    void setServer(String name, int hours) throws IOException {
      // Nobody reads half of it.
      Path next =
          Files.writeString(folder.resolve("next"), "" + Duration.ofHours(hours).toSeconds());
      Files.move(next, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    }

    void setDatabase(int hours) throws SQLException {
      sql("UPDATE set_clock SET hours = " + hours);
    }

    private void sql(String... statements) throws SQLException {
      try (var connection = stage.server().connect();
          var statement = connection.createStatement()) {
        for (String each : statements) {
          statement.execute(each);
        }
      }
    }

    @Override
    public void close() {
      stage.close();
    }
  }

  abstract Clocks clocks();

  @ParameterizedTest
  @ValueSource(ints = {1, -1})
  void f13_clockOfOneServer(int hours) throws Exception {
    Clocks all = clocks();
    try {
      underLoad(
          all.stage,
          "F13-one" + hours,
          run -> {
            all.setServer("one", hours);
            awaitSeen(all.stage.one(), hours);
            run.awaitEntered(30);
          });
    } finally {
      all.setServer("one", 0);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, -1})
  void f13_clocksOfAllServers(int hours) throws Exception {
    Clocks all = clocks();
    try {
      underLoad(
          all.stage,
          "F13-all" + hours,
          run -> {
            all.setServer("one", hours);
            all.setServer("two", hours);
            awaitSeen(all.stage.one(), hours);
            awaitSeen(all.stage.two(), hours);
            run.awaitEntered(30);
          });
    } finally {
      all.setServer("one", 0);
      all.setServer("two", 0);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, -1})
  void f13_clockOfTheDatabase(int hours) throws Exception {
    Clocks all = clocks();
    try {
      underLoad(
          all.stage,
          "F13-database" + hours,
          run -> {
            run.awaitEntered(30);
            run.ledgerClockSet(Duration.ofHours(hours));
            all.setDatabase(hours);
            run.awaitEntered(30);
            InvalidRun.unless(run.hasTimesOfTheSetClock(), "the ledger has another clock");
          });
    } finally {
      all.setDatabase(0);
    }
  }

  /** Until a server has looked at its clock; else the run would show nothing. */
  private static void awaitSeen(Node node, int hours) {
    String words = "the clock is off by " + Duration.ofHours(hours).toSeconds() + " s";
    await(words).until(() -> node.process().log().contains(words));
  }
}
