package io.naru.load.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SocketParserTest {

  private static final String HEAD =
      "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n";

  private final Heard heard = new Heard();
  private final List<String> answers = new ArrayList<>();
  private SocketParser parser = parser();

  private SocketParser parser() {
    return new SocketParser(heard, bytes -> answers.add(new String(bytes, ISO_8859_1)));
  }

  private void read(String bytes) {
    parser.read(Unpooled.copiedBuffer(bytes, ISO_8859_1));
  }

  private static String frame(int head, String payload) {
    String length =
        payload.length() < 126
            ? "" + (char) payload.length()
            : "~" + (char) (payload.length() >> 8) + (char) (payload.length() & 0xff);
    return (char) head + length + payload;
  }

  private static String text(String json) {
    return frame(0x81, json);
  }

  private static String status(int position, long change) {
    return text(
        "{\"event\":\"queue-status\",\"id\":\"1\",\"data\":{\"position\":%d,\"change\":%d}}"
            .formatted(position, change));
  }

  @Test
  void read_cutAnywhere_findsTheSameEvents() {
    String all =
        HEAD
            + text("{\"event\":\"retry\",\"retry\":2873}")
            + status(9, 4_711)
            + text(
                "{\"event\":\"queue-board\",\"data\":{\"message\":\"%s\"}}"
                    .formatted("x".repeat(300)))
            + frame(0x89, "")
            + status(7, 4_712)
            + text(
                "{\"event\":\"queue-entered\",\"data\":{\"status\":\"ENTERED\",\"pass\":\" p.q\"}}")
            + frame(0x88, "\u0003\u00e8");
    for (int cut = 0; cut < all.length(); cut++) {
      heard.events.clear();
      answers.clear();
      parser = parser();
      read(all.substring(0, cut));
      read(all.substring(cut));

      assertThat(heard.events)
          .as("cut at %d", cut)
          .containsExactly("status 9 at 4711", "status 7 at 4712", "entered p.q");
      assertThat(parser.isOver()).isTrue();
      // A pong and the end, both masked, as a client must.
      assertThat(answers)
          .containsExactly("\u008a\u0080\0\0\0\0", "\u0088\u0082\0\0\0\0\u0003\u00e8");
    }
  }

  @Test
  void reconnect_isAnEndThatIsNamed() {
    read(HEAD + text("{\"event\":\"reconnect\",\"retry\":900,\"data\":{\"reason\":\"age\"}}"));

    assertThat(heard.events).containsExactly("ended reconnect");
  }

  @Test
  void answerOtherThanASocket_isRefusal() {
    read("HTTP/1.1 429 Too Many Requests\r\nretry-after: 3\r\n\r\n{}");

    assertThat(heard.events).containsExactly("refused HTTP/1.1 429 Too Many Requests");
    assertThat(parser.isOver()).isTrue();
  }

  /** In parts, binary, masked, or longer than anything a Naru says. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "\u0001\u0001x",
        "\u0080\u0001x",
        "\u0082\u0001x",
        "\u0081\u0081\0\0\0\0x",
        "\u0081\u007f\0\0\0\0\0\1\0\0",
        "\u0081~\u00ff\u00ff"
      })
  void whatNaruDoesNotSend_isNotGuessedAt(String frame) {
    assertThatThrownBy(() -> read(HEAD + frame)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void headWithoutEnd_isBounded() {
    assertThatThrownBy(() -> read("HTTP/1.1 101 " + "x".repeat(20_000)))
        .isInstanceOf(IllegalStateException.class);
  }
}
