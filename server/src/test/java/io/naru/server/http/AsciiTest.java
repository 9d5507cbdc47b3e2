package io.naru.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class AsciiTest {

  private static final long SEED = 20_261_117;

  /** The edges of every length, on both sides of zero, and many others. */
  private static LongStream numbers() {
    var random = new Random(SEED);
    LongStream edges =
        LongStream.iterate(1, n -> n <= Long.MAX_VALUE / 10, n -> 10 * n)
            .flatMap(n -> LongStream.of(n - 1, n, n + 1, -n - 1, -n, 1 - n));
    LongStream extremes = LongStream.of(Long.MIN_VALUE, Long.MIN_VALUE + 1, Long.MAX_VALUE);
    // Shifted, so that short ones are as frequent as long ones.
    LongStream others = LongStream.range(0, 1_000).map(i -> random.nextLong() >> (i % 64));
    return LongStream.concat(LongStream.concat(edges, extremes), others);
  }

  @Test
  void add_anyNumber_isWrittenInFull() {
    numbers()
        .forEach(
            number -> {
              var text = new Ascii(1).add(Ascii.text("a")).add(number).add(Ascii.text("z"));

              assertThat(text.buffer().toString()).isEqualTo("a" + number + "z");
            });
  }
}
