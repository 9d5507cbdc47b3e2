package io.naru.bench.jmh;

import io.naru.queue.EntryKey;
import io.naru.queue.EntryTokens;
import io.naru.queue.QueueId;
import io.naru.queue.Secret;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The entry token: made for every answer, read for every status by token. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class EntryTokenBenchmark {

  private final EntryTokens tokens = new EntryTokens(new Secret(new byte[32]));
  private final EntryKey entry =
      new EntryKey(new QueueId("TIMEDEAL", "123"), "0123456789abcdef", 27_600_000_000_000L);
  private final String token = tokens.tokenOf(entry);

  @Benchmark
  public String make() {
    return tokens.tokenOf(entry);
  }

  @Benchmark
  public Optional<EntryKey> read() {
    return tokens.read(token);
  }
}
