package io.naru.e2e.crash;

import static io.naru.e2e.crash.Faults.answeredSince;
import static io.naru.e2e.crash.Faults.last;
import static io.naru.e2e.crash.Faults.refusedSince;
import static io.naru.e2e.crash.Faults.stayFrozen;
import static io.naru.e2e.crash.Faults.underLoad;
import static io.naru.testkit.FaultProxy.Way.TO_CLIENT;
import static io.naru.testkit.FaultProxy.Way.TO_SERVER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.e2e.crash.Call.Act;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * The faults of a database, whichever it is. Outages are shorter than in the plan (4 s in place of
 * 10, 15 and 60 s), which is still longer than every time-out that they have to outlast.
 */
abstract class DatabaseFaults {

  static final Duration OUTAGE = Duration.ofSeconds(4);

  abstract Stage stage();

  @Test
  void f9_killTheDatabase() throws Exception {
    underLoad(
        stage(),
        "F9-kill",
        run -> {
          long from = run.history().now();
          long pid = stage().server().pid();
          stage().server().restart();
          InvalidRun.unless(stage().server().pid() != pid, "it was not killed");
          InvalidRun.unless(
              run.history().count(call -> call.answered() >= from) > 0, "nobody was there");
        });
  }

  @Test
  void f9_databaseDownForAWhile() throws Exception {
    underLoad(
        stage(),
        "F9-down",
        run -> {
          long from = run.history().now();
          stage().server().kill();
          last(OUTAGE);
          long before = refusedSince(run, from, 503);
          long shown = answeredSince(run, from, Act.STATUS);
          stage().server().restart();
          InvalidRun.unless(before > 0, "nobody was refused while the database was down");
          InvalidRun.unless(shown > 0, "nobody saw their place while the database was down");
        });
    // What is away is no defect: whoever reads the log is told so in a line, not shown our code.
    for (Node node : stage().nodes()) {
      assertThat(node.process().log()).contains("keys cannot be read").doesNotContain("\tat ");
    }
  }

  @Test
  void f9_databaseSlow() throws Exception {
    underLoad(
        stage(),
        "F9-slow",
        run -> {
          var slow = Duration.ofSeconds(2);
          stage().database().delay(TO_CLIENT, slow);
          last(OUTAGE);
          stage().database().heal();
          InvalidRun.unless(
              run.history().slowestMillis() >= slow.toMillis(), "nobody noticed anything");
        });
  }

  @Test
  void f10_cutAfterCommit() throws Exception {
    underLoad(
        stage(),
        "F10",
        run -> {
          for (int i = 0; i < 10; i++) {
            long cuts = stage().database().cuts();
            stage().database().cutAfter("COMMIT");
            await("a cut").until(() -> stage().database().cuts() > cuts);
          }
          InvalidRun.unless(
              stage().nodes().stream()
                  .anyMatch(node -> node.process().log().contains("a commit was not answered")),
              "no commit was hit");
        });
  }

  @Test
  void f12_freezeAServerInsideATransaction() throws Exception {
    underLoad(
        stage(),
        "F12-tx",
        run -> {
          // A slow way to the database makes transactions long enough to be hit.
          stage().database().delay(TO_CLIENT, Duration.ofMillis(10));
          stage().database().delay(TO_SERVER, Duration.ofMillis(10));
          long from = freezeInsideATransaction(run);
          stage().database().heal();
          stayFrozen(run, stage().one(), from, OUTAGE);
        });
  }

  private long freezeInsideATransaction(Run run) throws Exception {
    for (int tries = 0; tries < 50; tries++) {
      long from = run.history().now();
      stage().one().process().freeze();
      if (stage().isTransactionStuck()) {
        return from;
      }
      stage().one().process().thaw();
      run.history().excuse("one", from);
      // On a busy machine it would be frozen again before it has done anything.
      run.awaitPlaces(5);
    }
    throw new InvalidRun("no transaction was hit");
  }
}
