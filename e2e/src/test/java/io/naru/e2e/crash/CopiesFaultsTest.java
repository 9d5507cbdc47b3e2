package io.naru.e2e.crash;

import static io.naru.e2e.crash.Faults.answeredSince;
import static io.naru.e2e.crash.Faults.killAndRestart;
import static io.naru.e2e.crash.Faults.last;
import static io.naru.e2e.crash.Faults.underLoad;
import static java.util.concurrent.TimeUnit.MINUTES;

import io.naru.e2e.crash.Call.Act;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The faults that are others for servers that keep the line in their own memory, each a copy of the
 * ledger, than for those with a Redis. All the rest of them: {@link CopiesDatabaseFaultsTest}.
 */
@Timeout(value = 2, unit = MINUTES)
@TestMethodOrder(MethodOrderer.MethodName.class)
class CopiesFaultsTest {

  private static Stage stage;

  @BeforeAll
  static void start(@TempDir Path data) {
    stage = Stage.withoutRedis(Database.POSTGRES, data);
  }

  @AfterAll
  static void end() {
    stage.close();
  }

  @Test
  void f1_killOneServer() throws Exception {
    underLoad(
        stage,
        "F1",
        run -> {
          killAndRestart(run, () -> run.awaitPlaces(100), stage.two());
          InvalidRun.unless(
              run.history().count(call -> call.code() == 0) > 0, "nobody was at that server");
        });
  }

  @Test
  void f11_oneServerCutOffFromTheDatabase() throws Exception {
    underLoad(
        stage,
        "F11",
        run -> {
          long from = run.history().now();
          stage.wayOfTwo().refuse();
          last(DatabaseFaults.OUTAGE);
          long refused =
              run.history()
                  .count(
                      call ->
                          call.server().equals("two")
                              && call.code() == 503
                              && call.answered() >= from);
          long shown =
              run.history()
                  .count(
                      call ->
                          call.server().equals("two")
                              && call.act() == Act.STATUS
                              && call.asked() >= from
                              && call.isOk());
          long entered = answeredSince(run, from, Act.ENTER);
          stage.wayOfTwo().heal();
          InvalidRun.unless(refused > 0, "nobody was refused by the server that was cut off");
          InvalidRun.unless(shown > 0, "it showed nobody their place");
          InvalidRun.unless(entered > 0, "the other server did not go on");
        });
  }
}
