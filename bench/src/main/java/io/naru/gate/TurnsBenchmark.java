package io.naru.gate;

import io.naru.pass.EndedTurns;
import io.naru.pass.Pass;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Random;
import java.util.TreeMap;
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

/**
 * What a gate holds after five minutes of 5,000 turns a second that ended early: how long a look
 * takes, and how many bytes each takes.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class TurnsBenchmark {

  private static final int LIFE_SECONDS = 300;
  private static final int LOOKS = 4_096;

  @Param("1500000")
  private int turns;

  private final OverTurns over = new OverTurns(Duration.ZERO, Integer.MAX_VALUE);
  private final Pass[] ended = new Pass[LOOKS];
  private final Pass[] good = new Pass[LOOKS];
  private int next;

  @Setup
  public void fill() throws IOException {
    Instant now = Instant.now();
    var random = new Random(7);
    for (int from = 0; from < turns; from += EndedTurns.MAX_PASSES) {
      int count = Math.min(EndedTurns.MAX_PASSES, turns - from);
      var passes = new TreeMap<Long, long[]>();
      for (int i = 0; i < count; i++) {
        Pass pass = pass(random, now);
        ended[(from + i) % LOOKS] = pass;
        long end = EndedTurns.endOf(pass.expiresAt());
        passes.merge(end, new long[] {EndedTurns.fingerprint(pass.id())}, TurnsBenchmark::both);
      }
      over.take(new EndedTurns("", "", now, 1, from, from + count, true, passes), now);
    }
    System.out.printf("%n# %.1f bytes for each turn%n", (double) over.bytes() / over.size());
    for (int i = 0; i < LOOKS; i++) {
      good[i] = pass(random, now);
    }
  }

  private static Pass pass(Random random, Instant now) {
    ByteBuffer id = ByteBuffer.allocate(24).putLong(2).putLong(random.nextLong());
    id.putLong(random.nextLong());
    String text = Base64.getUrlEncoder().withoutPadding().encodeToString(id.array());
    Instant end = now.plusSeconds(1 + random.nextInt(LIFE_SECONDS));
    return new Pass("", "", "", "", text, now, end);
  }

  private static long[] both(long[] some, long[] more) {
    long[] all = Arrays.copyOf(some, some.length + more.length);
    System.arraycopy(more, 0, all, some.length, more.length);
    return all;
  }

  @Benchmark
  public boolean goodPass() {
    return over.isOver(good[next++ % LOOKS]);
  }

  @Benchmark
  public boolean endedPass() {
    return over.isOver(ended[next++ % LOOKS]);
  }
}
