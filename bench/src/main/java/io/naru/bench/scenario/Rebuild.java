package io.naru.bench.scenario;

import io.naru.bench.report.Row;
import io.naru.bench.report.Unit;
import io.naru.bench.servers.Naru;
import io.naru.bench.servers.Queue;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * From the moment Redis has lost everything until the copy of a queue is whole again.
 *
 * @param whole whether it was, before we gave up
 */
record Rebuild(long waiting, boolean whole, Duration taken) {

  private static final int OWED_WAITING = 1_000_000;
  private static final Duration OWED = Duration.ofSeconds(20);
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration STEP = Duration.ofMillis(20);

  static Row measure(Stage stage, Naru naru, Queue queue) {
    var rebuild = measure(stage, naru, queue, PATIENCE);
    return row(rebuild.waiting, rebuild.whole, rebuild.taken);
  }

  static Rebuild measure(Stage stage, Naru naru, Queue queue, Duration patience) {
    try (var copy = naru.copy(queue)) {
      var entered = queue.users().count();
      // The last answers may be out before the copy has them.
      if (!within(patience, () -> copy.waiting() >= entered)) {
        throw new IllegalStateException(
            "%,d entered, but the copy has %,d".formatted(entered, copy.waiting()));
      }
      var waiting = copy.waiting();
      copy.lose();
      var start = System.nanoTime();
      var whole = within(patience, () -> copy.waiting() == waiting && copy.isNumbered());
      var taken = Duration.ofNanos(System.nanoTime() - start);
      stage.progress().say("copy of %,d after %d ms".formatted(waiting, taken.toMillis()));
      return new Rebuild(waiting, whole, taken);
    }
  }

  static Row row(long waiting, boolean whole, Duration taken) {
    var row =
        Row.of("copy whole after FLUSHALL", taken.toNanos() / 1e6, Unit.MILLIS)
            .note("%,d waiting, heap of 256 MB".formatted(waiting));
    if (!whole) {
      row = row.note("NOT WHOLE when we gave up");
    } else if (waiting < OWED_WAITING) {
      // A short line proves nothing about a long one; that it never came back does.
      row = row.doubt("owed for %,d".formatted(OWED_WAITING));
    }
    return row.owes("at most 20 s", whole && taken.compareTo(OWED) <= 0);
  }

  private static boolean within(Duration patience, BooleanSupplier condition) {
    var deadline = System.nanoTime() + patience.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        return false;
      }
      try {
        Thread.sleep(STEP);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      }
    }
    return true;
  }
}
