package io.naru.load.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpParserTest {

  private static final String SIZED =
      "HTTP/1.1 201 Created\r\ncontent-type: application/json\r\nContent-Length: 12\r\n\r\n{\"a\":\"b\r\n\"}\n";
  private static final String CHUNKED =
      "HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\nDate: x\r\n\r\n1a\r\nabcdefghijklmnopqrstuvwxyz\r\n2\r\nhi\r\n0\r\n\r\n";
  private static final String EMPTY = "HTTP/1.1 204 No Content\r\nServer: x\r\n\r\n";
  private static final String CLOSING =
      "HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

  private final HttpParser parser = new HttpParser();

  @ParameterizedTest
  @ValueSource(strings = {SIZED, CHUNKED, EMPTY, CLOSING})
  void end_anyPrefix_isIncompleteUntilTheLastByte(String answer) {
    var bytes = ("junk" + answer + "HTTP/1.1 200 OK\r\n").getBytes(US_ASCII);
    int complete = 4 + answer.length();
    for (int to = 4; to < complete; to++) {
      assertThat(parser.end(bytes, 4, to)).as("of %d", to).isEqualTo(ReplyParser.INCOMPLETE);
    }
    assertThat(parser.end(bytes, 4, complete)).isEqualTo(complete);
    assertThat(parser.end(bytes, 4, bytes.length)).isEqualTo(complete);
  }

  @Test
  void end_severalAnswers_areFoundOneAfterAnother() {
    var bytes = (SIZED + CLOSING + CHUNKED).getBytes(US_ASCII);
    int first = parser.end(bytes, 0, bytes.length);
    assertThat(parser.status()).isEqualTo(201);
    assertThat(parser.success()).isTrue();
    assertThat(parser.closes()).isFalse();
    int second = parser.end(bytes, first, bytes.length);
    assertThat(parser.status()).isEqualTo(503);
    assertThat(parser.success()).isFalse();
    assertThat(parser.closes()).isTrue();
    assertThat(parser.end(bytes, second, bytes.length)).isEqualTo(bytes.length);
    assertThat(parser.success()).isTrue();
    assertThat(parser.closes()).isFalse();
  }

  @Test
  void end_somethingElse_isRefused() {
    var bytes = "SSH-2.0-x\r\n".getBytes(US_ASCII);
    assertThatThrownBy(() -> parser.end(bytes, 0, bytes.length)).hasMessageContaining("SSH-2.0");
  }
}
