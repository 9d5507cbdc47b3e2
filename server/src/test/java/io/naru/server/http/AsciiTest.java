package io.naru.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AsciiTest {

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 9, 10, 99, 100, 12_345, 9_007_199_254_740_992L, Long.MAX_VALUE})
  void add_anyNumber_isWrittenInFull(long number) {
    var text = new Ascii(1).add(Ascii.text("a")).add(number).add(Ascii.text("z")).buffer();

    assertThat(text.toString()).isEqualTo("a" + number + "z");
  }
}
