package io.naru.e2e.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.e2e.crash.Call.Act;
import java.time.Duration;
import java.util.Arrays;

/** What the faults have in common: a crowd before, during and after. */
final class Faults {

  /**
   * Enough that some are inside, some out again and many in line when something breaks. A soak has
   * them come for minutes.
   */
  private static final int BEFORE = 150;

  private static final int AFTER = 100;

  private Faults() {}

  /** Breaks something and puts it right again. */
  interface Fault {
    void happen(Run run) throws Exception;
  }

  static void underLoad(Stage stage, String name, Fault fault) throws Exception {
    // The same visitors every time; -Dcrash.seed=… has others come.
    long seed = name.hashCode() + Long.getLong("crash.seed", 0);
    try (var run = new Run(stage, name, seed, Run.QUIET)) {
      run.awaitPlaces(BEFORE);
      fault.happen(run);
      run.awaitPlaces(AFTER);
      run.awaitReturn();
      assertThat(run.breaches()).as(name).isEmpty();
    }
  }

  /** Lets a fault last. Nothing can be waited for: that it lasts is the fault. */
  static void last(Duration span) throws InterruptedException {
    Thread.sleep(span);
  }

  /** Kills servers; their visitors cannot be expected to get answers until they are back. */
  static void killAndRestart(Run run, Runnable meanwhile, Node... nodes) {
    long from = run.history().now();
    for (Node node : nodes) {
      node.process().kill();
      InvalidRun.unless(!node.process().isAlive(), "a server still lives");
    }
    meanwhile.run();
    // All at once, as after a power cut.
    Arrays.stream(nodes).parallel().forEach(Node::restart);
    for (Node node : nodes) {
      run.history().excuse(node.name(), from);
    }
  }

  /** Lets a server that was frozen at that time stay so for a while; the others go on. */
  static void stayFrozen(Run run, Node node, long from, Duration span) throws InterruptedException {
    long goneOn;
    try {
      last(span);
      goneOn = answeredSince(run, from, Act.ENTER);
    } finally {
      node.process().thaw();
      run.history().excuse(node.name(), from);
    }
    InvalidRun.unless(goneOn > 0, "the other server did not go on");
  }

  /** A call that was answered, and begun since then. */
  static long answeredSince(Run run, long since, Act act) {
    return run.history().count(call -> call.act() == act && call.asked() >= since && call.isOk());
  }

  static long refusedSince(Run run, long since, int code) {
    return run.history().count(call -> call.code() == code && call.answered() >= since);
  }
}
