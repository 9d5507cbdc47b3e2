package io.naru.bench.jmh;

import io.naru.line.Fact;
import io.naru.memory.MemoryLine;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The line in memory; every benchmark leaves it as long as it was. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 1, jvmArgsAppend = "-Xmx2g")
public class MemoryLineBenchmark {

  @Param({"1000", "1000000"})
  private int waiting;

  private final MemoryLine line = new MemoryLine();
  private final SplittableRandom random = new SplittableRandom(1);
  private String[] users = {};
  private long score;

  @Setup
  public void fill() {
    users = new String[waiting];
    for (int i = 0; i < waiting; i++) {
      users[i] = "%016x".formatted(random.nextLong());
      join(users[i]);
    }
  }

  /** Where somebody stands. */
  @Benchmark
  public int ahead() {
    return line.ahead(anybody());
  }

  /** Somebody in the middle gives up and comes back. */
  @Benchmark
  public boolean leaveAndJoin() {
    var user = anybody();
    return line.leave(user) && join(user);
  }

  /** The first hundred are let in and stand behind again. */
  @Benchmark
  public List<Fact> takeHundredAndJoin() {
    List<Fact> first = line.first(100);
    for (Fact taken : first) {
      line.leave(taken.user());
      join(taken.user());
    }
    return first;
  }

  private boolean join(String user) {
    score++;
    return line.join(Fact.waiting(user, score, score));
  }

  private String anybody() {
    return users[random.nextInt(waiting)];
  }
}
