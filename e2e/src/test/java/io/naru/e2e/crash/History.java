package io.naru.e2e.crash;

import io.naru.e2e.crash.Evidence.Excuse;
import io.naru.queue.Micros;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;

/** Keeps every call. Its clock is the machine's, as the database's is, but never steps. */
final class History {

  private final long startMicros = Micros.now(InstantSource.system());
  private final long startNanos = System.nanoTime();
  private final Queue<Call> calls = new ConcurrentLinkedQueue<>();
  private final Queue<Excuse> excuses = new ConcurrentLinkedQueue<>();

  long now() {
    return startMicros + (System.nanoTime() - startNanos) / 1_000;
  }

  void add(Call call) {
    calls.add(call);
  }

  /** This server was frozen or gone from then until now. */
  void excuse(String server, long from) {
    excuses.add(new Excuse(server, from, now()));
  }

  long count(Predicate<Call> which) {
    return calls.stream().filter(which).count();
  }

  /** From the first request to the last answer. */
  long millis() {
    long first = calls.stream().mapToLong(Call::asked).min().orElse(0);
    return (calls.stream().mapToLong(Call::answered).max().orElse(0) - first) / 1_000;
  }

  /** The longest that anybody has waited for an answer that came. */
  long slowestMillis() {
    return calls.stream()
            .filter(call -> call.code() != 0)
            .mapToLong(call -> call.answered() - call.asked())
            .max()
            .orElse(0)
        / 1_000;
  }

  List<Call> calls() {
    return new ArrayList<>(calls);
  }

  List<Excuse> excuses() {
    return new ArrayList<>(excuses);
  }
}
