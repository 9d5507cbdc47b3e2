package io.naru.e2e.crash;

import static io.naru.e2e.crash.Faults.answeredSince;
import static io.naru.e2e.crash.Faults.killAndRestart;
import static io.naru.e2e.crash.Faults.last;
import static io.naru.e2e.crash.Faults.stayFrozen;
import static io.naru.e2e.crash.Faults.underLoad;

import io.naru.e2e.crash.Call.Act;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * The faults of servers that keep the line in their own memory, each a copy of the ledger. Those
 * that say nothing new beside the same faults with a Redis run with {@code -Dcopies.all=true}.
 */
abstract class CopiesFaults extends DatabaseFaults {

  static final String ALL = "copies.all";

  @Test
  void f1_killOneServer() throws Exception {
    underLoad(
        stage(),
        "F1",
        run -> {
          killAndRestart(run, () -> run.awaitPlaces(100), stage().two());
          InvalidRun.unless(
              run.history().count(call -> call.code() == 0) > 0, "nobody was at that server");
        });
  }

  @Test
  @EnabledIfSystemProperty(named = ALL, matches = "true")
  void f2_killAllServers() throws Exception {
    underLoad(stage(), "F2", run -> killAndRestart(run, () -> {}, stage().one(), stage().two()));
  }

  @Test
  @EnabledIfSystemProperty(named = ALL, matches = "true")
  @Override
  void f9_killTheDatabase() throws Exception {
    super.f9_killTheDatabase();
  }

  @Test
  @EnabledIfSystemProperty(named = ALL, matches = "true")
  @Override
  void f9_databaseDownForAWhile() throws Exception {
    super.f9_databaseDownForAWhile();
  }

  @Test
  @EnabledIfSystemProperty(named = ALL, matches = "true")
  @Override
  void f9_databaseSlow() throws Exception {
    super.f9_databaseSlow();
  }

  @Test
  @EnabledIfSystemProperty(named = ALL, matches = "true")
  @Override
  void f10_cutAfterCommit() throws Exception {
    super.f10_cutAfterCommit();
  }

  @Test
  void f11_oneServerCutOffFromTheDatabase() throws Exception {
    underLoad(
        stage(),
        "F11",
        run -> {
          long from = run.history().now();
          stage().wayOfTwo().refuse();
          last(OUTAGE);
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
          stage().wayOfTwo().heal();
          InvalidRun.unless(refused > 0, "nobody was refused by the server that was cut off");
          InvalidRun.unless(shown > 0, "it showed nobody their place");
          InvalidRun.unless(entered > 0, "the other server did not go on");
        });
  }

  @Test
  @EnabledIfSystemProperty(named = ALL, matches = "true")
  void f12_freezeAServer() throws Exception {
    underLoad(
        stage(),
        "F12",
        run -> {
          long from = run.history().now();
          stage().one().process().freeze();
          stayFrozen(run, stage().one(), from, OUTAGE);
        });
  }

  @Test
  @EnabledIfSystemProperty(named = ALL, matches = "true")
  @Override
  void f12_freezeAServerInsideATransaction() throws Exception {
    super.f12_freezeAServerInsideATransaction();
  }
}
