package io.naru.e2e.crash;

import static io.naru.e2e.crash.Faults.answeredSince;
import static io.naru.e2e.crash.Faults.killAndRestart;
import static io.naru.e2e.crash.Faults.underLoad;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.e2e.crash.Call.Act;
import io.naru.testkit.DatabaseServer;
import io.naru.testkit.PostgresPair;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** A PostgreSQL with a synchronous standby that takes over; the servers know both by name. */
abstract class FailOvers {

  /** What is promised, from the promotion on. */
  static final Duration BOUND = Duration.ofSeconds(10);

  abstract PostgresPair pair();

  abstract Stage stage();

  @Test
  @Order(1)
  void f21_waitForTheStandbyCancelled() throws Exception {
    underLoad(
        stage(),
        "F21",
        run -> {
          pair().swallowReplication();
          pair().awaitWaitingCommit();
          InvalidRun.unless(pair().cancelWaitingCommits() > 0, "no wait was cancelled");
          await("a warning instead of an answer")
              .atMost(BOUND)
              .until(() -> isLogged("it was answered with a warning"));
          pair().healReplication();
        });
  }

  /** The last one: there is no standby behind it. */
  @Test
  @Order(2)
  void f20_primaryKilledAndStandbyPromoted_oldPrimaryBackAsItWas() throws Exception {
    underLoad(
        stage(),
        "F20",
        run -> {
          long from = run.history().now();
          long pid = pair().first().pid();
          pair().failOver();
          long promoted = run.history().now();
          InvalidRun.unless(
              run.history().count(call -> call.answered() >= from && !call.isOk()) > 0,
              "nobody noticed anything");
          await("an enter at the new primary")
              .atMost(BOUND)
              .pollInterval(Duration.ofMillis(20))
              .until(() -> answeredSince(run, promoted, Act.ENTER) > 0);
          System.out.printf(
              "F20: enters taken %d ms after the promotion%n",
              (run.history().now() - promoted) / 1_000);
          run.awaitPlaces(50);

          pair().firstIsBack();
          InvalidRun.unless(pair().first().pid() != pid, "the old primary is not back");
          String before = written(pair().first());
          // Every connection is made anew, by one who knows, and by one who has just begun.
          endAllSessions(pair().second());
          killAndRestart(run, () -> {}, stage().two());
          run.awaitPlaces(100);
          InvalidRun.unless(isLogged("came back as it was"), "nobody met the old primary");
          assertThat(written(pair().first())).as("what the old primary was told").isEqualTo(before);
        });
  }

  private boolean isLogged(String words) {
    return stage().nodes().stream().anyMatch(node -> node.process().log().contains(words));
  }

  /** How far a ledger is: any transaction of ours moves it. */
  private static String written(DatabaseServer server) throws SQLException {
    return ask(
        server,
        """
        SELECT (SELECT sum(change_no) FROM waiting_queues) || ' ' || (SELECT count(*) FROM queue_entries)
          || ' ' || (SELECT sum(batch) FROM writers)
        """);
  }

  private static void endAllSessions(DatabaseServer server) throws SQLException {
    String ended =
        ask(
            server,
            """
            SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
            WHERE application_name LIKE 'naru%'
            """);
    InvalidRun.unless(!ended.equals("0"), "there was nobody");
  }

  private static String ask(DatabaseServer server, String question) throws SQLException {
    try (var connection = server.connect();
        var statement = connection.createStatement();
        var answer = statement.executeQuery(question)) {
      answer.next();
      return answer.getString(1);
    }
  }
}
