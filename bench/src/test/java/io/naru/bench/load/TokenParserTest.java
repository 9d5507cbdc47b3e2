package io.naru.bench.load;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.load.wire.ReplyParser;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TokenParserTest {

  private final List<String> tokens = new ArrayList<>();
  private final TokenParser parser = new TokenParser(tokens::add);

  @Test
  void end_completeEntries_handsOnEachTokenOnce() {
    var one =
        answer("201 Created", "{\"status\":\"WAITING\",\"entryToken\":\"a.b-c\",\"position\":1}");
    var bytes = (one + answer("201 Created", "{\"entryToken\":\"d\"}")).getBytes(US_ASCII);
    for (int to = 1; to < one.length(); to++) {
      assertThat(parser.end(bytes, 0, to)).isEqualTo(ReplyParser.INCOMPLETE);
    }
    assertThat(tokens).isEmpty();
    var second = parser.end(bytes, 0, bytes.length);
    assertThat(second).isEqualTo(one.length());
    assertThat(parser.end(bytes, second, bytes.length)).isEqualTo(bytes.length);
    assertThat(tokens).containsExactly("a.b-c", "d");
  }

  @Test
  void end_refusalWithAnEntry_handsOnNothing() {
    var bytes = answer("409 Conflict", "{\"entry\":{\"entryToken\":\"a\"}}").getBytes(US_ASCII);
    assertThat(parser.end(bytes, 0, bytes.length)).isEqualTo(bytes.length);
    assertThat(parser.success()).isFalse();
    assertThat(tokens).isEmpty();
  }

  private static String answer(String status, String body) {
    return "HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s".formatted(status, body.length(), body);
  }
}
