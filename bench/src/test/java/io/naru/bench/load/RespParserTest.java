package io.naru.bench.load;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.load.wire.ReplyParser;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RespParserTest {

  private final RespParser parser = new RespParser();

  @ParameterizedTest
  @CsvSource({":1,true", ":123456,true", "+PONG,true", "-ERR no,false", "$-1,false"})
  void end_oneLine_isCompleteWithItsLineEnd(String line, boolean success) {
    var bytes = (line + "\r\n").getBytes(US_ASCII);
    assertThat(parser.end(bytes, 0, bytes.length - 1)).isEqualTo(ReplyParser.INCOMPLETE);
    assertThat(parser.end(bytes, 0, bytes.length)).isEqualTo(bytes.length);
    assertThat(parser.success()).isEqualTo(success);
  }
}
